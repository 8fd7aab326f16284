package transaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// rollback takes back the changes that were made before the one that failed with err, the last
// first. It returns err with a report of the rollback. Its time limit is what forwardTime leaves.
func (t *transaction) rollback(failed *step, err error) error {
	if failed.file != nil {
		err = t.failure(err, failed.file.Number)
	}
	undone := t.done
	if t.inDoubt != nil {
		undone = append(slices.Clip(undone), t.inDoubt)
	}
	defer t.tellEdited(editedParams{Undone: true}, undone...)
	if !t.several {
		return err // err itself says whether the change may still land
	}
	full := t.failure(err, 0)
	if t.s.Base.Err() != nil || full.Kind == editor.Gone {
		return full // the connection has ended, so nothing can be taken back
	}
	ctx, cancel := t.s.Within(t.call.Under(t.s.Base), t.s.timeout()-t.s.forwardTime())
	defer cancel()
	var report rollbackReport
	t.takeBackInDoubt(ctx, &report)
	unclear := t.inDoubt != nil && !isAsBefore(t.s.Workspace(), t.inDoubt.Change)
	for _, st := range slices.Backward(t.done) {
		t.takeBack(ctx, st, &report)
	}
	// The change in doubt may land late: the editor got it before the requests that took the others back.
	if t.inDoubt != nil {
		pause, end := t.s.Within(ctx, t.s.Editor().Quirks.Settle)
		<-pause.Done()
		end()
		t.takeBackInDoubt(ctx, &report)
	}
	if unclear && t.inDoubt != nil {
		report.unclear = t.inDoubt.name
	}
	full.Message += " " + report.String()
	return full
}

// failure returns err as an error of the given part of a patch, or of no part if that is 0. It logs a panic.
func (t *transaction) failure(err error, part int) *edits.Error {
	if broken, ok := errors.AsType[*rpc.FaultError](err); ok {
		t.s.Log.ErrorContext(t.Bounded, "panic", "file", broken.Method, "value", broken.Value, "stack", string(broken.Stack))
	}
	full := *editor.Failure(err)
	full.File = cmp.Or(full.File, part)
	return &full
}

// takeBackInDoubt takes back the failed change if the editor has made it all the same.
func (t *transaction) takeBackInDoubt(ctx context.Context, report *rollbackReport) {
	st := t.inDoubt
	if st == nil || !isDone(t.s.Workspace(), t.s.Editor(), st.Change) {
		return
	}
	t.inDoubt = nil
	st.outcome = &apply.Outcome{Doc: &workspace.Document{Key: st.Key, URI: st.URI, Text: st.After}}
	t.takeBack(ctx, st, report)
}

// isDone reports whether a change with an unclear outcome has been made. If the change only
// deletes text from an open document, isDone returns false: the user may have deleted that text.
func isDone(w *workspace.Workspace, c *editor.Editor, j *apply.Change) bool {
	switch j.Kind {
	case editor.Delete:
		if c.Quirks.Announces {
			return j.Doc != nil && !w.IsOpen(j.Key)
		}
		return !paths.Listed(j.Abs)
	case editor.Rename:
		return w.IsOpen(j.To.Key) || paths.Listed(j.To.Abs) && !paths.Listed(j.Abs)
	}
	inserts := func(ch changeset.Change) bool { return ch.New != "" }
	if j.Kind == editor.Update && j.Doc != nil && !slices.ContainsFunc(changeset.Of(j.Plan.Edits, j.Text), inserts) {
		return false
	}
	snap, err := w.Read(j.Target)
	return err == nil && text.Same(snap.Text, j.After, j.Doc == nil) && (j.Kind == editor.Create || !snap.Text.Equal(j.Text))
}

// isAsBefore reports whether the file of a change is as it was before the change.
func isAsBefore(w *workspace.Workspace, j *apply.Change) bool {
	snap, err := w.Read(j.Target)
	if j.Kind == editor.Create {
		return edits.IsKind(err, paths.FileNotFound)
	}
	return err == nil && snap.Text.Equal(j.Text)
}

// takeBack takes back one change and adds the result to the report.
func (t *transaction) takeBack(ctx context.Context, st *step, report *rollbackReport) {
	switch err := t.applyBack(ctx, st, st.reverse); {
	case err == nil:
	case st.Kind == editor.Create && st.outcome.Doc != nil && t.applyBack(ctx, st, st.inverse) == nil:
		report.emptied = append(report.emptied, st.Path)
		return
	default:
		report.failures = append(report.failures, restoreFailure{st.name, err})
		return
	}
	if !slices.Contains(report.back, st.name) {
		report.back = append(report.back, st.name)
	}
	if late := t.inDoubt; late != nil && st.Kind == editor.Rename && late.Key == st.To.Key {
		moved := *late.Change
		moved.Target = st.Target
		late.Change = &moved
	}
}

// errUnseen reports that the editor accepted an edit without opening the file.
var errUnseen = errors.New("the editor said that it made the edit, and shows the text to nobody")

// applyBack has the editor make a change that takes back a step.
func (t *transaction) applyBack(ctx context.Context, st *step, plan func(*workspace.Workspace, *editor.Editor) (*apply.Change, error)) error {
	if ctx.Err() != nil {
		return errors.New("there was no time left for it")
	}
	back := &transaction{Run: &Run{s: t.s, Ctx: ctx, Bounded: ctx}, label: t.label, several: true}
	defer back.pins.Release()
	return back.apply(&step{name: st.name, plan: func() (*apply.Change, error) { return plan(t.s.Workspace(), t.s.Editor()) }}, 1)
}

// reverse plans the change that takes back a step, on the current text. It returns
// nil if there is nothing to take back.
func (st *step) reverse(w *workspace.Workspace, c *editor.Editor) (*apply.Change, error) {
	if st.Kind == editor.Update {
		return st.inverse(w, c)
	}
	done := stepOf(st.Change)
	done.Unseen = st.outcome.Doc == nil
	return reverseFile(w, c, done)
}

// reverseFile plans the change that takes back the creation, deletion or renaming of a file.
func reverseFile(w *workspace.Workspace, c *editor.Editor, st review.Step) (*apply.Change, error) {
	if st.Change == editor.Delete {
		return remake(w, c, st)
	}
	if st.Change == editor.Rename {
		snap, err := w.ReadToEdit(st.Target)
		to, outside := w.Reach(st.Was, paths.Access)
		return &apply.Change{Snapshot: snap, Kind: editor.Rename, To: to, After: snap.Text}, cmp.Or(err, outside)
	}
	snap, err := w.Read(st.Target)
	switch {
	case err != nil && st.Unseen:
		return nil, errors.New("the editor shows it to nobody")
	case err != nil:
		return nil, err
	}
	return unmake(c, st, snap, snap.Text)
}

// remake plans the change that creates a deleted file again.
func remake(w *workspace.Workspace, c *editor.Editor, st review.Step) (*apply.Change, error) {
	if w.IsOpen(st.Target.Key) || !c.Quirks.Announces && paths.Listed(st.Target.Abs) {
		return nil, errors.New("there is a file of that name again")
	}
	content := st.Text.String()
	if st.BOM {
		content = text.BOM + content
	}
	if !c.CreateFiles && (!c.Quirks.CreatesByEdit || content == "") {
		return nil, errors.New("the editor lacks the resource operation create")
	}
	at, err := w.Reach(st.Target, paths.Access)
	if err != nil {
		return nil, err
	}
	j := newFile(at, content)
	j.MustBeNew = c.Quirks.Announces // other editors would truncate an existing file (hazard: create-truncates)
	return apply.Adapt(j, c)
}

// unmake plans the deletion of a file that an edit created. It fails if the user or another program has written into
// the file since. now is the file's text without the later changes of agents.
func unmake(c *editor.Editor, st review.Step, snap workspace.Snapshot, now text.Text) (*apply.Change, error) {
	switch {
	case !text.Same(now, st.Text, true):
		return nil, errors.New("its text has changed since it was made")
	case snap.Doc != nil && isWritten(snap, st.Text):
		return nil, errors.New("another program has written the file since it was made")
	case !c.DeleteFiles:
		return nil, errors.New("the editor lacks the resource operation delete")
	}
	j := edited(snap, changeset.Difference(snap.Text, text.Text{}))
	if c.Quirks.DeletesSaved && c.Plugin == (editor.Plugin{}) && snap.Doc != nil && !paths.Listed(snap.Abs) {
		j.Plan.Notes = append(j.Plan.Notes, fmt.Sprintf("%s was never saved, so the editor cannot delete it; its buffer is left empty.", st.Target.Path))
		return apply.Adapt(j, c)
	}
	j.Kind = editor.Delete
	return j, nil
}

// isWritten reports whether another program has written the file of an open document that an edit created with
// the text made. The editor may have left the file empty until it is saved.
func isWritten(snap workspace.Snapshot, made text.Text) bool {
	for _, t := range []text.Text{snap.Text, snap.Doc.Disk, made, {}} {
		if same, exists := paths.SameOnDisk(snap.Target, t); same || !exists {
			return false
		}
	}
	return true
}

// inverse plans the change that takes an edit out of a text and keeps what the user has
// typed since. It returns nil if the user has taken the edit back themselves.
func (st *step) inverse(w *workspace.Workspace, _ *editor.Editor) (*apply.Change, error) {
	snap, err := w.ReadToEdit(st.Target)
	if err != nil {
		return nil, err
	}
	if st.outcome.Doc == nil && snap.Doc == nil && !snap.Text.Equal(st.After) {
		return nil, errUnseen // the edit may never have been made, and then its inverse would do damage
	}
	back, err := st.takenBack(historyOf(w.Documents, snap), snap)
	if err != nil || len(back) == 0 {
		return nil, err
	}
	return edited(snap, back), nil
}

// errTyped reports that the user has typed where an edit is to be taken back.
var errTyped = errors.New("its text has changed there since")

// takenBack returns the changes that take the edit out of the text of a snapshot with history h.
// It returns none if the edit is taken back already.
func (st *step) takenBack(h *history.History, snap workspace.Snapshot) (changeset.Changeset, error) {
	if h != nil && st.outcome.Landing != nil && st.outcome.Doc != nil && h == st.outcome.Doc.History {
		c, seq, err := h.UndoChange(st.outcome.Landing.Seq, st.outcome.Landing.Own)
		met, conflict := errors.AsType[*history.UndoConflict](err)
		switch {
		case conflict && met.AlreadyUndone && !st.isLeft(snap.Text):
			return nil, nil
		case conflict:
			return nil, errTyped
		case err == nil && (snap.Doc == nil || seq == snap.Doc.Seq):
			return c, nil
		}
	}
	if snap.Text.Equal(st.Text) {
		return nil, nil
	}
	_, c, meet := changeset.Transform(changeset.Difference(st.After, snap.Text), changeset.Of(st.Plan.Edits, st.Text).Invert())
	if meet != nil {
		return nil, errTyped
	}
	return c, nil
}

// isLeft reports whether t has something that only the edit has put in. If the history counts the
// edit as undone all the same, the user has moved that text.
func (st *step) isLeft(t text.Text) bool {
	return slices.ContainsFunc(st.outcome.Landing.Own, func(ch changeset.Change) bool {
		put := strings.TrimSpace(ch.New)
		return len(put) >= apply.MinProof && !st.Text.Contains(put) && t.Contains(put)
	})
}

// historyOf returns the history of a text, or nil if there is none.
func historyOf(docs *workspace.Documents, snap workspace.Snapshot) *history.History {
	if snap.Doc != nil {
		return snap.Doc.History
	}
	if docs.History(snap.Key) == nil {
		return nil
	}
	return docs.CatchUp(snap.Key, snap.Text)
}

// rollbackReport is the result of a rollback. It names files as the command's errors do.
type rollbackReport struct {
	back     []string
	emptied  []string
	failures []restoreFailure
	unclear  string // the name of a file that is neither as it was nor as the patch wants it
}

type restoreFailure struct {
	path string
	why  error
}

// String returns the report in one or more sentences.
func (r rollbackReport) String() string {
	r.back = slices.DeleteFunc(r.back, func(path string) bool {
		return slices.ContainsFunc(r.failures, func(h restoreFailure) bool { return h.path == path })
	})
	clean := len(r.emptied)+len(r.failures) == 0 && r.unclear == ""
	if clean && len(r.back) == 0 {
		return "No file was changed."
	}
	var b strings.Builder
	verb := "was"
	if len(r.back) > 1 {
		verb = "were"
	}
	switch put := edits.Listed(r.back) + " " + verb + " put back"; {
	case clean:
		return "Nothing is changed: " + put + "."
	case len(r.back) > 0:
		b.WriteString(put + ". ")
	}
	for _, path := range r.emptied {
		fmt.Fprintf(&b, "%s could not be deleted again and is left empty. ", path)
	}
	for _, h := range r.failures {
		if errors.Is(h.why, errUnseen) {
			fmt.Fprintf(&b, "%s may still hold its part of the patch (%v). ", h.path, h.why)
			continue
		}
		fmt.Fprintf(&b, "%s could not be put back (%s) and still holds its part of the patch. ", h.path, strings.TrimSuffix(h.why.Error(), "."))
	}
	if r.unclear != "" {
		fmt.Fprintf(&b, "%s has another text than before. ", r.unclear)
	}
	return strings.TrimSuffix(b.String(), " ")
}
