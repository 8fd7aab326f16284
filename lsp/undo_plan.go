package lsp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
)

// takeBackJob plans the taking back of a part on the text as it is now.
func (s *server) takeBackJob(pt part) (*apply.Change, error) {
	w, e, st := s.workspace(), pt.edit, pt.step
	switch st.Change {
	case editor.Create:
		return plannedFile(e, st)(s.unmake(w, st.Target, st.Text, st.Unseen))
	case editor.Delete:
		return plannedFile(e, st)(s.remake(w, st.Target, st.Text, st.BOM))
	case editor.Rename:
		snap, err := w.ReadToEdit(st.Target)
		return &apply.Change{Snapshot: snap, Kind: editor.Rename, To: st.Was, After: snap.Text}, err
	}
	for range apply.MaxTries { // it may be typed in between
		snap, h, err := s.undoable(w, st)
		if err != nil {
			return nil, err
		}
		if h == nil {
			return nil, forgotten(e, st, s.limitsNow())
		}
		c, seq, err := h.Undo(e.ID, pt.hunks...)
		if err != nil {
			return nil, pt.conflict(snap, err, s.limitsNow())
		}
		if snap.Doc == nil || snap.Doc.Seq == seq {
			j := &apply.Change{Snapshot: snap, Kind: editor.Update, Plan: diff.PlanOf(snap.Text, c.Edits())}
			j.After = j.Plan.Edits.Apply(snap.Text)
			return apply.Adapt(j, s.client.Load())
		}
	}
	return nil, &edits.Error{Kind: editor.NotSettled, Path: st.Given, Message: fmt.Sprintf("The text of %s kept changing; try again.", st.Given)}
}

// undoable returns the text of a step now, and its history, nil if that is
// forgotten.
func (s *server) undoable(w *workspace.Workspace, st review.Step) (workspace.Snapshot, *history.History, error) {
	h := s.docs.History(st.Target.Key)
	if h == nil {
		return workspace.Snapshot{}, nil, nil
	}
	if st.Unseen && !w.IsOpen(st.Target.Key) {
		return workspace.Snapshot{Target: st.Target, Exists: true, Text: h.Text()}, h, nil
	}
	snap, err := w.ReadToEdit(st.Target)
	if err == nil && snap.Doc == nil {
		h = s.docs.CatchUp(st.Target.Key, snap.Text)
	}
	return snap, h, err
}

// plannedFile words the errors of planning to take back a file that was made or
// deleted.
func plannedFile(e *review.Edit, st review.Step) func(*apply.Change, error) (*apply.Change, error) {
	return func(j *apply.Change, err error) (*apply.Change, error) {
		if err != nil && !edits.IsKind(err, editor.Unsupported) {
			err = &edits.Error{Kind: commands.UndoConflict, Path: st.Given, Message: fmt.Sprintf(
				"Edit %s of %s cannot be taken back: %s.", e.ID, st.Given, strings.TrimSuffix(err.Error(), "."))}
		}
		return j, err
	}
}

func forgotten(e *review.Edit, st review.Step, l *limits) error {
	return &edits.Error{Kind: commands.NothingToUndo, Path: st.Given, Message: fmt.Sprintf(
		"Edit %s of %s cannot be taken back any more: too much has happened to the text since, more than %d edits or more than max_history_bytes (%d) has room for, or it was closed.", e.ID, st.Given, review.MaxRemembered, l[maxHistoryBytes])}
}

// conflict words what history says of an edit that it cannot take back, with
// both texts.
func (pt part) conflict(snap workspace.Snapshot, err error, l *limits) error {
	st := pt.step
	met, ok := errors.AsType[*history.UndoConflict](err)
	switch {
	case ok && met.AlreadyUndone:
		return &edits.Error{Kind: commands.NothingToUndo, Path: st.Given, Message: fmt.Sprintf(
			"%s of %s is not there any more: the text reads as it did before, so it was taken back already.", pt.name(), st.Given)}
	case !ok:
		return forgotten(pt.edit, st, l)
	}
	by, instead := "in the editor", "edit the text instead"
	if met.By != "" {
		by, instead = "by edit "+met.By, fmt.Sprintf("take edit %s back first, or edit the text instead", met.By)
	}
	first, last := snap.Text.LineAt(met.Start)+1, snap.Text.LineAt(max(met.Start, met.End-1))+1
	last = max(first, min(last, snap.Text.Lines()))
	full := &edits.Error{
		Kind: commands.UndoConflict, Path: st.Given, Rev: snap.Text.Hash(),
		Message: fmt.Sprintf("%s of %s cannot be taken back: what it wrote at %s was changed %s since. It wrote %s where %s was, and now that is %s; %s.",
			pt.name(), st.Given, edits.LineRange(first, last), by, quoted(met.Wrote), quoted(met.Was), quoted(met.Now), instead),
		Candidates: []edits.Candidate{
			{StartLine: first, EndLine: last, Similarity: 1, Difference: "now", Text: met.Now},
			{StartLine: first, EndLine: last, Difference: "before the edit", Text: met.Was},
		},
	}
	if first <= snap.Text.Lines() {
		full.Snippet = edits.Numbered(snap.Text, first, min(last, first+lines.MaxSnippet))
	}
	return full
}

// name words what is taken back: "Edit e3", or "Hunk 2 of edit e3".
func (pt part) name() string {
	if len(pt.hunks) == 0 {
		return "Edit " + pt.edit.ID
	}
	numbers := make([]string, len(pt.hunks))
	for i, n := range pt.hunks {
		numbers[i] = strconv.Itoa(n + pt.step.Before)
	}
	word := "Hunk "
	if len(numbers) > 1 {
		word = "Hunks "
	}
	return word + edits.Listed(numbers) + " of edit " + pt.edit.ID
}

// quoted returns a text as a message quotes it.
func quoted(s string) string {
	const most = 200
	if s == "" {
		return "nothing"
	}
	if len(s) > most {
		return fmt.Sprintf("%q and more", strings.ToValidUTF8(s[:most], ""))
	}
	return fmt.Sprintf("%q", s)
}
