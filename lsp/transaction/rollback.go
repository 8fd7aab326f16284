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
	if failed.part > 0 {
		err = t.failure(err, failed.part)
	}
	undone := t.done
	if t.inDoubt != nil {
		undone = append(slices.Clip(undone), t.inDoubt)
	}
	defer t.tellEdited(editedParams{Undone: true}, undone...)
	defer func() { t.s.forget(t.edit) }() // of what could not be taken back
	if !t.several {
		return err // err itself says whether the change may still land
	}
	full := t.failure(err, 0)
	if t.s.Base.Err() != nil || full.Kind == edits.EditorGone {
		return full // the connection has ended, so nothing can be taken back
	}
	ctx, extend, cancel := t.s.Within(t.call.Under(t.s.Base), t.s.timeout()-t.s.forwardTime())
	defer cancel()
	var report rollbackReport
	made := t.done
	t.takeBackInDoubt(ctx, &report)
	unclear := t.inDoubt != nil && !t.inDoubt.IsAsBefore(t.s.Workspace())
	for i := range slices.Backward(made) {
		t.takeBack(ctx, i, &report)
		extend()
	}
	// The change in doubt may land late: the editor got it before the requests that took the others back.
	if t.inDoubt != nil {
		pause, _, end := t.s.Within(ctx, t.s.Editor().Quirks.Settle)
		<-pause.Done()
		end()
		t.takeBackInDoubt(ctx, &report)
	}
	if unclear && t.inDoubt != nil {
		report.left = append(report.left, t.inDoubt.name+" has another text than before.")
	}
	full.Message += " " + report.String()
	return full
}

// failure returns err as an error of the given part of a patch, or of no part if that is 0. It logs a panic.
func (t *transaction) failure(err error, part int) *edits.Error {
	if broken, ok := errors.AsType[*rpc.FaultError](err); ok {
		t.s.Log.ErrorContext(t.Bounded, "panic", "file", broken.Method, "value", broken.Value, "stack", string(broken.Stack))
	}
	full := *edits.Failure(err)
	full.File = cmp.Or(full.File, part)
	return &full
}

// takeBackInDoubt takes back the failed change if the editor has made it all the same.
func (t *transaction) takeBackInDoubt(ctx context.Context, report *rollbackReport) {
	st := t.inDoubt
	if st == nil {
		return
	}
	if l, made := st.Late(t.s.Workspace(), t.s.Editor()); made {
		t.inDoubt, st.outcome = nil, &l
		t.record(st)
		t.takeBack(ctx, len(t.done)-1, report)
	}
}

// takeBack takes back change i and adds the result to the report.
func (t *transaction) takeBack(ctx context.Context, i int, report *rollbackReport) {
	st, pt := t.done[i], review.Part{Edit: t.edit, Step: t.edit.Steps[i]}
	emptied := pt // a file that was created and cannot be deleted
	emptied.Step.Change = editor.Update
	switch err := t.applyBack(ctx, st, pt); {
	case err == nil:
	case st.Kind == editor.Create && !pt.Step.Unseen && t.applyBack(ctx, st, emptied) == nil:
		left := "is left empty"
		if snap, _ := t.s.Workspace().Read(st.Target); strings.Trim(snap.Text.String(), "\r\n") != "" {
			left = fmt.Sprintf("has %s in the editor", quoted(snap.Text.String()))
		}
		if empty, exists := paths.SameOnDisk(st.Target, text.Text{}); exists && !empty {
			left += "; its file on disk is not empty"
		}
		report.left = append(report.left, fmt.Sprintf("%s could not be deleted again (%s), and %s.", st.name, strings.TrimSuffix(err.Error(), "."), left))
		return
	case errors.Is(err, errUnseen):
		report.fail(st.name, "%s may still hold its part of the patch (%v).", err)
		return
	default:
		report.fail(st.name, "%s could not be put back (%s) and still holds its part of the patch.", err)
		return
	}
	if !slices.Contains(report.back, st.name) {
		report.back = append(report.back, st.name)
	}
	if snap, err := t.s.Workspace().Terse().Read(st.Target); st.Kind == editor.Delete && err == nil && paths.IsDirty(snap.Target, snap.Text) {
		report.left = append(report.left, NotOnDisk(st.name))
	}
	if late := t.inDoubt; late != nil && st.Kind == editor.Rename && late.Key == st.To.Key {
		moved := *late.Change
		moved.Target = st.Target
		late.Change = &moved
	}
}

var (
	// errUnseen reports that the editor accepted an edit without opening the file.
	errUnseen = errors.New("the editor said that it made the edit, and shows the text to nobody")
	// errTyped reports that the user has typed where an edit is to be taken back.
	errTyped = errors.New("its text has changed there since")
)

// applyBack has the editor take back a part of a step. Nothing is to be done if the user has taken it back themselves.
func (t *transaction) applyBack(ctx context.Context, st *step, pt review.Part) error {
	if ctx.Err() != nil {
		return errors.New("there was no time left for it")
	}
	undone := false
	failure := func(pt review.Part, _ workspace.Snapshot, err error) error {
		if pt.Step.Change != editor.Update {
			return err
		}
		met, conflict := errors.AsType[*history.UndoConflict](err)
		undone = conflict && met.AlreadyUndone
		return errTyped
	}
	back := &transaction{Run: &Run{s: t.s, Ctx: ctx, Bounded: ctx}, agreement: t.agreement.Back(), label: t.label, several: true, edit: &review.Edit{ID: "rollback"}}
	defer back.pins.Release()
	err := back.apply(&step{name: st.name, takesBack: []review.Part{pt}, plan: func() (*apply.Change, error) {
		if w := t.s.Workspace(); st.Kind == editor.Update && pt.Step.Unseen && !w.IsOpen(pt.Step.Target.Key) {
			// It may never have been made, and then its inverse would do damage.
			if snap, err := w.Read(pt.Step.Target); err != nil || !snap.Text.Equal(st.After) {
				return nil, cmp.Or(err, errUnseen)
			}
		}
		c, err := t.s.planBack(failure, pt)
		if undone {
			return nil, nil //nolint:nilnil // nothing to do is no failure
		}
		return c, err
	}})
	back.forgetParts()
	return err
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

// rollbackReport is the result of a rollback. It names files as the command's errors do.
type rollbackReport struct {
	back   []string // files whose change was taken back
	failed []string // files of which one was not
	left   []string // sentences on what is not as it was
}

// fail reports that a change of a file could not be taken back. format takes the file and err.
func (r *rollbackReport) fail(file, format string, err error) {
	r.failed = append(r.failed, file)
	r.left = append(r.left, fmt.Sprintf(format, file, strings.TrimSuffix(err.Error(), ".")))
}

// String returns the report in one or more sentences.
func (r *rollbackReport) String() string {
	back := slices.DeleteFunc(slices.Clone(r.back), func(file string) bool { return slices.Contains(r.failed, file) })
	put := edits.Listed(back) + " was put back."
	if len(back) > 1 {
		put = edits.Listed(back) + " were put back."
	}
	switch {
	case len(back)+len(r.left) == 0:
		return "No file was changed."
	case len(r.left) == 0:
		return "Nothing is changed: " + put
	case len(back) == 0:
		put = ""
	}
	return strings.TrimPrefix(put+" "+strings.Join(r.left, " "), " ")
}
