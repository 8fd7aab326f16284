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
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// UndoArgs are the arguments of the command undo.
type UndoArgs struct {
	EditID string `json:"edit_id,omitempty" jsonschema:"the edit to undo, by the id in its answer"`
	Path   string `json:"path,omitempty" jsonschema:"undo the newest edit of this file"`
	Turn   string `json:"turn,omitempty" jsonschema:"undo all edits for one prompt, by the turn's id in list, or last"`
	commands.EditOptions
}

// Undo takes an edit back in all of its texts, or in none.
func (s *Session) Undo(ctx context.Context, arrival *workspace.Turn, name string, args UndoArgs) (*Result, error) {
	return s.UndoAs(ctx, arrival, name, args, func(r *Result, parts []review.Part) string {
		if args.Turn != "" {
			return fmt.Sprintf("Undid turn %s (%s) in %s.", parts[0].Edit.Turn.ID, edits.Count(review.CountEdits(parts), "edit"), edits.Listed(r.Paths()))
		}
		return fmt.Sprintf("Undid edit %s in %s.", r.EditID, edits.Listed(r.Paths()))
	})
}

// UndoAs is like [Session.Undo], but the message of its answer is what words returns.
func (s *Session) UndoAs(ctx context.Context, arrival *workspace.Turn, name string, args UndoArgs, words Words) (*Result, error) {
	return s.TakeBack(ctx, arrival, name, args, func(place paths.Target) ([]review.Part, error) {
		all, err := partsToUndo(s, args, place)
		if err != nil {
			return nil, err
		}
		left := slices.DeleteFunc(slices.Clone(all), func(pt review.Part) bool { // the user has undone it there
			h := s.Documents.History(pt.Step.Target.Key)
			return pt.Step.Change == editor.Update && h != nil && h.Undone(pt.Edit.ID)
		})
		if len(left) == 0 { // which the error says
			left = all
		}
		return left, nil
	}, words)
}

// partsToUndo returns the parts that the arguments name; place is that of Path.
func partsToUndo(s *Session, args UndoArgs, place paths.Target) ([]review.Part, error) {
	switch {
	case args.Turn == "":
		e, err := s.EditLog.Edit(args.EditID, args.Path, place.Identity())
		if err != nil {
			return nil, err
		}
		return e.Parts(), nil
	case args.EditID+args.Path != "":
		return nil, schema.Invalid(`"turn" takes neither "edit_id" nor "path" beside it`)
	}
	return s.EditLog.Turn(args.Turn, s.Conversation)
}

// Find returns the parts of edits to take back, in the order in which to do so. place is what the path of the arguments names,
// if there is one. It is called again when the command has its turns for the texts of the parts.
type Find func(place paths.Target) ([]review.Part, error)

// Words returns the message of the answer to a command that has taken back these parts.
type Words func(r *Result, parts []review.Part) string

// TakeBack takes parts of agents' edits back. EditID and Path of args may be empty. If the user has to be asked, it waits for
// their agreement.
func (s *Session) TakeBack(ctx context.Context, arrival *workspace.Turn, name string, args UndoArgs, find Find, words Words) (*Result, error) {
	return s.confirmed(ctx, arrival, name, args.EditOptions, func(t *transaction) (*Result, error) {
		return s.makeTakeBack(t, args, find, words)
	})
}

// makeTakeBack carries out the taking back: it finds the edits, plans how to take them out of the
// current texts, and applies that. If one of the texts has to keep its part, all of them do.
func (s *Session) makeTakeBack(t *transaction, args UndoArgs, find Find, words Words) (*Result, error) {
	// The newest edit of all may be of any text. The turns of what only an id names are taken by partsInTurn.
	var names []string
	if args.EditID+args.Path+args.Turn != "" {
		names = []string{args.Path}
	}
	if err := t.Wait(names...); err != nil {
		return nil, err
	}
	parts, err := s.partsInTurn(t.Run, args.Path, find)
	if err != nil {
		return nil, err
	}
	t.takesBack, t.edit.ID = parts[0].Edit.ID, "undo of "+parts[0].Edit.ID
	var steps []*step
	var gone []review.Part // which the text does not have any more, since they take each other back
	for _, of := range byText(parts) {
		st := &step{name: of[0].Step.ShownPath, takesBack: of, plan: func() (*apply.Change, error) { return s.planBack(s.conflict, of...) }}
		t.share.Compute(func() { st.Change, err = st.plan() })
		if err == nil && st.Change != nil && st.Kind == editor.Rename {
			err = patchplan.CheckOperation(s.Editor(), st.Kind, st.Snapshot)
		}
		if err != nil {
			return nil, err
		}
		if len(of) > 1 && st.Kind == editor.Update && len(st.Plan.Edits) == 0 {
			gone = append(gone, of...)
			continue
		}
		steps = append(steps, st)
	}
	if len(steps) == 0 {
		return nil, edits.ErrorIn(edits.NothingToUndo, parts[0].Step.ShownPath, "Nothing is left to undo: the edits take each other back.")
	}
	if !t.onlyPlans() {
		if err := t.check(fmt.Sprintf("Takes back %s.", edits.Count(review.CountEdits(parts), "edit")), steps...); err != nil {
			return nil, err
		}
		t.call.SetEdit(t.takesBack)
		if err := t.run(steps...); err != nil {
			return nil, err
		}
		t.forgetParts()
		for _, pt := range gone {
			s.EditLog.Remove(pt.Edit.ID, pt.Step.Number)
		}
		t.tellTakenBack()
		s.ReviewChanged()
	}
	files := perFile(steps)
	slices.Reverse(files)
	notes := lists.FlatMap(files, func(st *step) []string { return st.Plan.Notes })
	return t.answer(func(r *Result) string { return words(r, parts) }, notes, files...)
}

// byText groups the parts that one change of a document can take back. A group is what successive
// edits did to the text of one document; its last part may have created the file.
func byText(parts []review.Part) (texts [][]review.Part) {
	for i, pt := range parts {
		if i > 0 && parts[i-1].Edit.ID != pt.Edit.ID && parts[i-1].Step.Target.Key == pt.Step.Target.Key && pt.Step.Change != editor.Rename {
			texts[len(texts)-1] = append(texts[len(texts)-1], pt)
			continue
		}
		texts = append(texts, []review.Part{pt})
	}
	return texts
}

// partsInTurn waits for the turns of the texts concerned, and returns the parts to take back.
// Which texts are concerned is known only when all earlier commands are done.
func (s *Session) partsInTurn(r *Run, path string, find Find) ([]review.Part, error) {
	for held := []paths.Key(nil); ; {
		var place paths.Target
		var err error
		if path != "" {
			if place, err = s.Workspace().Resolve(path); err != nil {
				return nil, err
			}
		}
		parts, err := find(place)
		if err != nil {
			return nil, err
		}
		var keys []paths.Key
		for _, pt := range parts {
			keys = slices.Concat(keys, pt.Edit.Texts(), pt.Step.Target.MayMakeGit(), pt.Step.Was.MayMakeGit())
		}
		slices.Sort(keys)
		if keys = slices.Compact(keys); slices.Equal(keys, held) {
			return parts, nil
		}
		r.turns.Done()
		if r.turns = s.queues.Take(keys...); r.turns.Wait(r.Ctx) != nil {
			return nil, apply.NotSent(r.Ctx, "other edits went first")
		}
		held = keys
	}
}

// forgetParts removes the parts of edits that the transaction has taken back from the histories and from the log of edits.
// What took them back is no edit there either.
func (t *transaction) forgetParts() {
	s := t.s
	s.forget(t.edit)
	for _, st := range t.done {
		at, parts := st.landing, st.takesBack
		h := cmp.Or(st.history, s.Documents.History(parts[0].Step.Target.Key))
		if st.history != nil && st.Kind == editor.Update {
			if err := h.RecordUndo(at.From, at.Seq, at.Before, at.Own, review.InHistory(parts)...); err != nil {
				s.Log.WarnContext(t.Ctx, "undo is not in the history", "edit", parts[0].Edit.ID, "error", err)
			}
		}
		for _, pt := range parts {
			if told := pt.Edit.Conversation; told != nil && told != s.Conversation {
				by := "the user reverted"
				if s.Conversation != nil {
					by = review.Author(s.Name()) + " took back"
				}
				told.Add(by, pt)
			}
			if st.Kind == editor.Delete && h != nil {
				h.End(pt.Edit.ID, true)
			}
			if st.Kind == editor.Update && h != nil && len(pt.Hunks) > 0 && slices.Contains(h.Edits(), pt.Edit.ID) {
				continue // other hunks are left
			}
			s.EditLog.Remove(pt.Edit.ID, pt.Step.Number)
		}
	}
}

// planBack plans the change that takes back one part, or the parts of several edits of one
// document, the newest first, on the current text.
func (s *Session) planBack(failure undoFailure, parts ...review.Part) (*apply.Change, error) {
	before, last := parts[:len(parts)-1], parts[len(parts)-1]
	if last.Step.Change == editor.Update {
		j, err := s.undoJob(failure, parts...)
		if err != nil {
			return nil, err
		}
		return apply.Adapt(j, s.Editor())
	}
	var j *apply.Change
	var err error
	if len(before) == 0 {
		j, err = reverseFile(s.Workspace(), s.Editor(), last.Step)
	} else if j, err = s.undoJob(failure, before...); err == nil {
		j, err = unmake(s.Editor(), last.Step, j.Snapshot, j.After)
	} else {
		return nil, err
	}
	if err != nil {
		err = failure(last, workspace.Snapshot{}, err)
	}
	return j, err
}

// undoFailure returns the error for a part that cannot be taken back, as the history of a text says, or as the file shows.
type undoFailure func(pt review.Part, in workspace.Snapshot, err error) error

// undoJob plans the change that takes back edits of one text, the newest first.
func (s *Session) undoJob(failure undoFailure, parts ...review.Part) (*apply.Change, error) {
	st := parts[0].Step
	for range apply.MaxTries { // the user may type between the two reads
		snap, h, err := undoable(s.Workspace(), st)
		if err != nil {
			return nil, err
		}
		if h == nil {
			return nil, failure(parts[0], snap, history.ErrForgotten)
		}
		c, seq, err := undoEach(failure, parts, snap, h)
		if err != nil {
			return nil, err
		}
		if snap.Doc == nil || snap.Doc.Seq == seq {
			return edited(snap, c), nil
		}
	}
	return nil, edits.ErrorIn(edits.NotSettled, st.ShownPath, "The text of %s kept changing; try again.", st.ShownPath)
}

// edited returns the change that applies c to the text of snap.
func edited(snap workspace.Snapshot, c changeset.Changeset) *apply.Change {
	plan := diff.PlanOf(snap.Text, c.Edits())
	return &apply.Change{Snapshot: snap, Kind: editor.Update, Plan: plan, After: plan.Edits.Apply(snap.Text)}
}

// undoEach returns the changes that take the parts out of the text as of seq. A part may have
// changed what another wrote, so each is planned on the text that the earlier ones leave.
func undoEach(failure undoFailure, parts []review.Part, snap workspace.Snapshot, h *history.History) (all changeset.Changeset, seq int, err error) {
	if len(parts) > 1 {
		h = h.Clone()
	}
	for i, pt := range review.InHistory(parts) {
		c, now, err := h.Undo(pt.ID, pt.Hunks...)
		if err != nil {
			return nil, 0, failure(parts[i], snap, err)
		}
		if all = all.Then(c); i == 0 {
			seq = now
		}
		if i+1 == len(parts) {
			break
		}
		snap.Text = c.Edits().Apply(h.Text())
		if err := h.RecordUndo(now, h.Record(c, snap.Text), nil, c, pt); err != nil {
			return nil, 0, failure(parts[i], snap, history.ErrForgotten)
		}
	}
	return all, seq, nil
}

// undoable returns the current text of a step's document and its history, which is nil if it is forgotten.
func undoable(w *workspace.Workspace, st review.Step) (workspace.Snapshot, *history.History, error) {
	h := w.Documents.History(st.Target.Key)
	if h == nil {
		return workspace.Snapshot{}, nil, nil
	}
	if st.Unseen && !w.IsOpen(st.Target.Key) {
		return workspace.Snapshot{Target: st.Target, Exists: true, Text: h.Text()}, h, nil
	}
	snap, err := w.ReadToEdit(st.Target)
	if snap.Doc != nil {
		h = snap.Doc.History
	} else if h = w.Documents.History(snap.Key); h != nil {
		h = w.Documents.CatchUp(snap.Key, snap.Text)
	}
	return snap, h, err
}

// conflict returns the error for a part that cannot be taken back. For a part of a text, it quotes
// the text before the edit and the text now.
func (s *Session) conflict(pt review.Part, snap workspace.Snapshot, err error) error {
	st := pt.Step
	met, ok := errors.AsType[*history.UndoConflict](err)
	switch {
	case st.Change == editor.Rename, st.Change != editor.Update && edits.IsKind(err, edits.Unsupported):
		return err
	case st.Change != editor.Update:
		return edits.ErrorIn(edits.UndoConflict, st.ShownPath, "Edit %s of %s cannot be taken back: %s.", pt.Edit.ID, st.ShownPath, strings.TrimSuffix(err.Error(), "."))
	case ok && met.AlreadyUndone:
		return edits.ErrorIn(edits.NothingToUndo, st.ShownPath, "%s of %s is not there any more: the text reads as it did before, so it was taken back already.", pt.Name(), st.ShownPath)
	case !ok:
		return edits.ErrorIn(edits.NothingToUndo, st.ShownPath,
			"Edit %s of %s cannot be taken back any more: too much has happened to the text since, more than %d edits or more than max_history_bytes (%d) has room for, or it was closed.", pt.Edit.ID, st.ShownPath, review.MaxRemembered, s.Limits()[bounds.MaxHistoryBytes])
	}
	by, instead := "in the editor", "edit the text instead"
	if met.By != "" {
		by, instead = "by edit "+met.By, fmt.Sprintf("take edit %s back first, or edit the text instead", met.By)
	}
	s.Ledger.Refused(snap.Key, snap.Text, nil) // the error shows lines
	first, last := snap.Text.LineAt(met.Start)+1, snap.Text.LineAt(max(met.Start, met.End-1))+1
	last = max(first, min(last, snap.Text.Lines()))
	why := fmt.Sprintf("what it wrote at %s was changed %s since. It wrote %s where %s was, and now that is %s; %s",
		edits.LineRange(first, last), by, quoted(met.Wrote), quoted(met.Was), quoted(met.Now), instead)
	if met.Moved {
		why = fmt.Sprintf("what it wrote is at %s now, and not where it wrote it: %s; edit the text instead", edits.LineRange(first, last), quoted(met.Now))
	}
	return &edits.Error{
		Kind: edits.UndoConflict, Path: st.ShownPath, Rev: snap.Text.Hash(),
		Message: fmt.Sprintf("%s of %s cannot be taken back: %s.", pt.Name(), st.ShownPath, why),
		Candidates: []edits.Candidate{
			{StartLine: first, EndLine: last, Similarity: 1, Difference: "now", Text: met.Now},
			{StartLine: first, EndLine: last, Difference: "before the edit", Text: met.Was},
		},
		Snippet: edits.Numbered(snap.Text, first, min(last, first+page.MaxSnippet, snap.Text.Lines())),
	}
}

// quoted returns a text in quotes for a message. It shortens a long one.
func quoted(s string) string {
	const most = 200
	switch {
	case s == "":
		return "nothing"
	case len(s) > most:
		return fmt.Sprintf("%q and more", strings.ToValidUTF8(s[:most], ""))
	}
	return fmt.Sprintf("%q", s)
}
