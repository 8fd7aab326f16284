package transaction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// putBack takes back what was applied before f failed with err, the last first,
// and returns err with what came of that. It has the time that going forward has
// left to it.
func (p *patching) putBack(f *patchplan.File, err error) error {
	if broken, ok := errors.AsType[*rpc.FaultError](err); ok {
		p.s.Log.ErrorContext(p.holds.under(p.s.Base), "panic", "file", broken.Method, "value", broken.Value, "stack", string(broken.Stack))
	}
	defer p.tell("", true)
	full := *editor.Failure(p.inPart(f, err))
	if p.s.Base.Err() != nil || full.Kind == editor.Gone {
		return &full // nobody is left to put anything back, or to be told
	}
	if len(p.files) == 1 && len(p.done) == 0 {
		return &full // it says itself what may still come
	}
	ctx, cancel := p.s.Within(p.holds.under(p.s.Base), p.s.timeout()-p.s.forwardTime())
	defer cancel()
	var report backReport
	p.takeBackDoubtful(ctx, &report)
	unclear := p.doubtful != nil && !isAsBefore(p.s.Workspace(), p.doubtful.Change)
	for _, st := range slices.Backward(p.done) {
		p.takeBack(ctx, st, &report)
	}
	// It may have been late: the editor had it before all that was put back.
	if p.doubtful != nil {
		select {
		case <-p.s.After(p.s.Editor().Quirks.Settle):
		case <-ctx.Done():
		}
		p.takeBackDoubtful(ctx, &report)
	}
	if unclear && p.doubtful != nil {
		report.unclear = p.doubtful.file.Given
	}
	if len(p.files) > 1 || len(p.done) > 0 {
		full.Message += " " + report.String()
	}
	return &full
}

// takeBackDoubtful takes back what failed and was applied all the same.
func (p *patching) takeBackDoubtful(ctx context.Context, report *backReport) {
	st := p.doubtful
	if st == nil || !isDone(p.s.Workspace(), p.s.Editor(), st.Change) {
		return
	}
	p.doubtful = nil
	st.landed = apply.Outcome{Doc: &workspace.Document{Key: st.Key, URI: st.URI, Text: st.After}}
	p.takeBack(ctx, st, report)
}

// isDone reports whether a change whose outcome was not clear is done by now. Where
// it only deletes from an open document, the text does not tell: the user may have done that.
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

// isAsBefore reports whether what a change was about is as it found it.
func isAsBefore(w *workspace.Workspace, j *apply.Change) bool {
	snap, err := w.Read(j.Target)
	if j.Kind == editor.Create {
		return edits.IsKind(err, paths.FileNotFound)
	}
	return err == nil && snap.Text.Equal(j.Text)
}

// takeBack takes back one edit, and tries again while the text keeps moving on.
func (p *patching) takeBack(ctx context.Context, st *patchStep, report *backReport) {
	err := p.applyBack(ctx, st.reverse)
	if err != nil && st.Kind == editor.Create && ctx.Err() == nil {
		if st.landed.Doc != nil && p.applyBack(ctx, st.inverse) == nil {
			report.emptied = append(report.emptied, st.Path)
			return
		}
	}
	if err != nil {
		report.held = append(report.held, heldFile{st.file.Given, err})
		return
	}
	if !slices.Contains(report.back, st.file.Given) {
		report.back = append(report.back, st.file.Given)
	}
	if late := p.doubtful; late != nil && late.file == st.file && st.Kind == editor.Rename {
		moved := *late.Change
		moved.Target = st.Target
		late.Change = &moved
	}
}

// errUnseen says that the editor took an edit, and shows the text to nobody.
var errUnseen = errors.New("the editor said that it made the edit, and shows the text to nobody")

func (p *patching) applyBack(ctx context.Context, plan func(*workspace.Workspace, *editor.Editor) (*apply.Change, error)) error {
	for tries := 0; ; tries++ {
		if ctx.Err() != nil {
			return errors.New("there was no time left for it")
		}
		j, err := plan(p.s.Workspace(), p.s.Editor())
		if err != nil || j == nil {
			return err
		}
		j.WithOthers, j.Pins = true, &p.holds.pins
		p.s.planned(ctx, j)
		_, err = p.s.Engine.Apply(ctx, j, p.label)
		var again *apply.NotAppliedError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &again):
			return err
		case again.Stale:
			tries--
		case tries+1 == apply.MaxTries:
			return again.Err
		}
	}
}

// reverse plans the taking back of an edit on the text as it is now. It is nil
// where there is nothing to take back.
func (st *patchStep) reverse(w *workspace.Workspace, c *editor.Editor) (*apply.Change, error) {
	if st.Kind == editor.Update {
		return st.inverse(w, c)
	}
	done := stepOf(st.Change)
	done.Unseen = st.landed.Doc == nil
	return reverseFile(w, c, done)
}

// reverseFile plans the taking back of what was done to a file.
func reverseFile(w *workspace.Workspace, c *editor.Editor, st review.Step) (*apply.Change, error) {
	if st.Change == editor.Delete {
		return remake(w, c, st)
	}
	if st.Change == editor.Rename {
		snap, err := w.ReadToEdit(st.Target)
		return &apply.Change{Snapshot: snap, Kind: editor.Rename, To: st.Was, After: snap.Text}, err
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

// remake plans the making of a file that was deleted.
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
	j := newFile(st.Target, content)
	j.MustBeNew = c.Quirks.Announces // where others truncate what is there (hazard: create-truncates)
	return apply.Adapt(j, c)
}

// unmake plans the deletion of a file that was made, unless the user has written into it: now is
// its text without what agents have changed since.
func unmake(c *editor.Editor, st review.Step, snap workspace.Snapshot, now text.Text) (*apply.Change, error) {
	switch {
	case !text.Same(now, st.Text, true):
		return nil, errors.New("its text has changed since it was made")
	case !c.DeleteFiles:
		return nil, errors.New("the editor lacks the resource operation delete")
	}
	if c.Quirks.DeletesSaved && c.Plugin == (editor.Plugin{}) && snap.Doc != nil && !paths.Listed(snap.Abs) {
		j := &apply.Change{Snapshot: snap, Kind: editor.Update, Plan: diff.PlanOf(snap.Text, edits.Edits{{End: snap.Text.Len()}})}
		j.Plan.Notes = append(j.Plan.Notes, fmt.Sprintf("%s was never saved, so the editor cannot delete it; its buffer is left empty.", st.Target.Path))
		return apply.Adapt(j, c)
	}
	return &apply.Change{Snapshot: snap, Kind: editor.Delete}, nil
}

// inverse plans what makes a text again what it was, and leaves what the user has
// typed since. It is nil where they have taken the edit back themselves.
func (st *patchStep) inverse(w *workspace.Workspace, _ *editor.Editor) (*apply.Change, error) {
	snap, err := w.ReadToEdit(st.Target)
	if err != nil {
		return nil, err
	}
	if st.landed.Doc == nil && snap.Doc == nil && !snap.Text.Equal(st.After) {
		return nil, errUnseen // it may never have been made, and then its inverse does damage
	}
	back, err := st.takenBack(historyOf(w.Documents, snap), snap)
	if err != nil || len(back) == 0 {
		return nil, err
	}
	j := &apply.Change{Snapshot: snap, Kind: editor.Update, Plan: diff.PlanOf(snap.Text, back.Edits())}
	j.After = j.Plan.Edits.Apply(snap.Text)
	return j, nil
}

// errTyped says that the user has typed where an edit is to be taken back.
var errTyped = errors.New("its text has changed there since")

// takenBack returns what takes the edit out of the text of a snapshot, which has that history;
// nothing if it is taken back already.
func (st *patchStep) takenBack(h *history.History, snap workspace.Snapshot) (changeset.Changeset, error) {
	if h != nil && st.landed.Landing != nil && st.landed.Doc != nil && h == st.landed.Doc.History {
		c, seq, err := h.UndoChange(st.landed.Landing.Seq, st.landed.Landing.Own)
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
	_, c, meet := changeset.Transform(changeset.Difference(st.After, snap.Text), changeset.Of(st.Plan.Edits.Invert(st.Text), st.After))
	if meet != nil {
		return nil, errTyped
	}
	return c, nil
}

// isLeft reports whether t has something that only the edit has put in. Where the edit counts
// as undone all the same, the user has moved it.
func (st *patchStep) isLeft(t text.Text) bool {
	return slices.ContainsFunc(st.landed.Landing.Own, func(ch changeset.Change) bool {
		put := strings.TrimSpace(ch.New)
		return len(put) >= apply.MinProof && !st.Text.Contains(put) && t.Contains(put)
	})
}

// historyOf returns the history of a text, nil if there is none.
func historyOf(docs *workspace.Documents, snap workspace.Snapshot) *history.History {
	if snap.Doc != nil {
		return snap.Doc.History
	}
	if docs.History(snap.Key) == nil {
		return nil
	}
	return docs.CatchUp(snap.Key, snap.Text)
}
