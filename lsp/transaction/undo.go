package transaction

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// UndoArgs are the arguments of the command undo.
type UndoArgs struct {
	EditID string `json:"edit_id,omitempty" jsonschema:"the edit to undo, by the id in its answer"`
	Path   string `json:"path,omitempty" jsonschema:"undo the newest edit of this file; without edit_id and path, the newest of all"`
	commands.EditOptions
}

// Undo takes an edit back in all of its texts, or in none.
func (s *Session) Undo(ctx context.Context, arrival *workspace.Turn, name string, args UndoArgs) (*Result, error) {
	return s.UndoAs(ctx, arrival, name, args, func(r *Result) string {
		return fmt.Sprintf("Undid edit %s in %s.", r.EditID, edits.Listed(r.Paths()))
	})
}

// UndoAs is like [Session.Undo], but the message of its answer is what words returns.
func (s *Session) UndoAs(ctx context.Context, arrival *workspace.Turn, name string, args UndoArgs, words func(r *Result) string) (*Result, error) {
	return s.TakeBack(ctx, arrival, TakingBack{
		Command: name, UndoArgs: args,
		Parts: func(place paths.Target) ([]review.Part, error) {
			e, err := s.EditLog.Edit(args.EditID, args.Path, place.Identity())
			if err != nil {
				return nil, err
			}
			return e.Parts(), nil
		},
		Words: words,
	})
}

// takeBackJob plans the change that takes back one part, or the parts of several edits of one
// document, the newest first, on the current text.
func (s *Session) takeBackJob(parts []review.Part) (*apply.Change, error) {
	last := parts[len(parts)-1]
	e, st := last.Edit, last.Step
	if st.Change == editor.Update {
		j, err := s.undoJob(parts)
		if err != nil {
			return nil, err
		}
		return apply.Adapt(j, s.Editor())
	}
	var j *apply.Change
	var err error
	if len(parts) == 1 {
		j, err = reverseFile(s.Workspace(), s.Editor(), st)
	} else if j, err = s.undoJob(parts[:len(parts)-1]); err == nil {
		j, err = unmake(s.Editor(), st, j.Snapshot, j.After)
	} else {
		return nil, err
	}
	if err != nil && st.Change != editor.Rename && !edits.IsKind(err, editor.Unsupported) {
		err = &edits.Error{Kind: commands.UndoConflict, Path: st.ShownPath, Message: fmt.Sprintf(
			"Edit %s of %s cannot be taken back: %s.", e.ID, st.ShownPath, strings.TrimSuffix(err.Error(), "."))}
	}
	return j, err
}

// undoJob plans the change that takes back edits of one text, the newest first.
func (s *Session) undoJob(parts []review.Part) (*apply.Change, error) {
	st := parts[0].Step
	for range apply.MaxTries { // the user may type between the two reads
		snap, h, err := undoable(s.Workspace(), st)
		if err != nil {
			return nil, err
		}
		if h == nil {
			return nil, forgotten(parts[0].Edit, st, s.Limits())
		}
		c, seq, err := s.undoEach(parts, snap, h)
		if err != nil {
			return nil, err
		}
		if snap.Doc == nil || snap.Doc.Seq == seq {
			return edited(snap, c), nil
		}
	}
	return nil, &edits.Error{Kind: editor.NotSettled, Path: st.ShownPath, Message: fmt.Sprintf("The text of %s kept changing; try again.", st.ShownPath)}
}

// edited returns the change that applies c to the text of snap.
func edited(snap workspace.Snapshot, c changeset.Changeset) *apply.Change {
	plan := diff.PlanOf(snap.Text, c.Edits())
	return &apply.Change{Snapshot: snap, Kind: editor.Update, Plan: plan, After: plan.Edits.Apply(snap.Text)}
}

// undoEach returns the changes that take the parts out of the text as of seq. A part may have
// changed what another wrote, so each is planned on the text that the earlier ones leave.
func (s *Session) undoEach(parts []review.Part, snap workspace.Snapshot, h *history.History) (all changeset.Changeset, seq int, err error) {
	if len(parts) > 1 {
		h = h.Clone()
	}
	for i, pt := range inHistory(parts) {
		c, now, err := h.Undo(pt.ID, pt.Hunks...)
		if err != nil {
			return nil, 0, conflict(parts[i], snap, err, s.Limits())
		}
		if all = all.Then(c); i == 0 {
			seq = now
		}
		if i+1 == len(parts) {
			break
		}
		snap.Text = c.Edits().Apply(h.Text())
		if err := h.RecordUndo(now, h.Record(c, snap.Text), nil, c, nil, pt); err != nil {
			return nil, 0, forgotten(parts[i].Edit, parts[i].Step, s.Limits())
		}
	}
	return all, seq, nil
}

// undoable returns the current text of a step's document and its history, which is
// nil if it is forgotten.
func undoable(w *workspace.Workspace, st review.Step) (workspace.Snapshot, *history.History, error) {
	h := w.Documents.History(st.Target.Key)
	if h == nil {
		return workspace.Snapshot{}, nil, nil
	}
	if st.Unseen && !w.IsOpen(st.Target.Key) {
		return workspace.Snapshot{Target: st.Target, Exists: true, Text: h.Text()}, h, nil
	}
	snap, err := w.ReadToEdit(st.Target)
	return snap, historyOf(w.Documents, snap), err
}

func forgotten(e *review.Edit, st review.Step, l *bounds.Limits) error {
	return &edits.Error{Kind: commands.NothingToUndo, Path: st.ShownPath, Message: fmt.Sprintf(
		"Edit %s of %s cannot be taken back any more: too much has happened to the text since, more than %d edits or more than max_history_bytes (%d) has room for, or it was closed.", e.ID, st.ShownPath, review.MaxRemembered, l[bounds.MaxHistoryBytes])}
}

// conflict returns the error for a part that the history cannot take back. It quotes
// the text before the edit and the text now.
func conflict(pt review.Part, snap workspace.Snapshot, err error, l *bounds.Limits) error {
	st := pt.Step
	met, ok := errors.AsType[*history.UndoConflict](err)
	switch {
	case ok && met.AlreadyUndone:
		return &edits.Error{Kind: commands.NothingToUndo, Path: st.ShownPath, Message: fmt.Sprintf(
			"%s of %s is not there any more: the text reads as it did before, so it was taken back already.", pt.Name(), st.ShownPath)}
	case !ok:
		return forgotten(pt.Edit, st, l)
	}
	by, instead := "in the editor", "edit the text instead"
	if met.By != "" {
		by, instead = "by edit "+met.By, fmt.Sprintf("take edit %s back first, or edit the text instead", met.By)
	}
	first, last := snap.Text.LineAt(met.Start)+1, snap.Text.LineAt(max(met.Start, met.End-1))+1
	last = max(first, min(last, snap.Text.Lines()))
	return &edits.Error{
		Kind: commands.UndoConflict, Path: st.ShownPath, Rev: snap.Text.Hash(),
		Message: fmt.Sprintf("%s of %s cannot be taken back: what it wrote at %s was changed %s since. It wrote %s where %s was, and now that is %s; %s.",
			pt.Name(), st.ShownPath, edits.LineRange(first, last), by, quoted(met.Wrote), quoted(met.Was), quoted(met.Now), instead),
		Candidates: []edits.Candidate{
			{StartLine: first, EndLine: last, Similarity: 1, Difference: "now", Text: met.Now},
			{StartLine: first, EndLine: last, Difference: "before the edit", Text: met.Was},
		},
		Snippet: edits.Numbered(snap.Text, first, min(last, first+lines.MaxSnippet, snap.Text.Lines())),
	}
}

// quoted returns a text in quotes for a message. It shortens a long one.
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
