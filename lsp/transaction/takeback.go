package transaction

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// TakingBack is a command that takes back edits of agents, or parts of them.
type TakingBack struct {
	Command  string
	UndoArgs // what to take back
	// Parts returns the parts to take back, in the order in which to do so. place is what Path names, if
	// Path is set. Parts is called again when the command has its turns for the texts of the parts.
	Parts func(place paths.Target) ([]review.Part, error)
	Words func(r *Result) string // returns the message of the answer
}

// TakeBack takes parts of edits back. If the user has to be asked, it waits for their agreement.
func (s *Session) TakeBack(ctx context.Context, arrival *workspace.Turn, b TakingBack) (*Result, error) {
	return s.confirmed(ctx, arrival, b.Command, b.EditOptions, func(r *Run, a *approval) (*Result, error) {
		return s.makeTakeBack(r, b, a)
	})
}

// makeTakeBack carries out the taking back: it finds the edits, plans how to take them out of the
// current texts, and applies that. If one of the texts has to keep its part, all of them do.
func (s *Session) makeTakeBack(r *Run, b TakingBack, a *approval) (*Result, error) {
	var names []string // none for the newest edit of all, which may be of any text
	if b.EditID != "" || b.Path != "" {
		names = []string{b.Path}
	}
	if err := r.Wait(names...); err != nil {
		return nil, err
	}
	parts, err := s.partsInTurn(r, b)
	if err != nil {
		return nil, err
	}
	t := r.begin(b.Command, b.EditOptions)
	texts := byText(parts)
	var steps []*step
	for _, of := range texts {
		st := &step{name: of[0].Step.ShownPath, plan: func() (*apply.Change, error) { return s.takeBackJob(of) }}
		r.share.Compute(func() { st.Change, err = st.plan() })
		if err != nil {
			return nil, err
		}
		steps = append(steps, st)
	}
	if !t.onlyPlans() {
		if err := a.check(fmt.Sprintf("Takes back %s.", edits.Count(len(parts), "edit")), steps...); err != nil {
			return nil, err
		}
		t.call.SetEdit(parts[0].Edit.ID)
		if err := t.run(steps...); err != nil {
			return nil, err
		}
		for i, st := range t.done {
			s.forgetParts(r.Ctx, texts[i], *st.outcome)
		}
		t.tellTakenBack(texts)
		s.ReviewChanged()
	}
	files, notes := perFile(steps), []string{}
	for _, f := range files {
		notes = append(notes, f.Plan.Notes...)
	}
	answer, err := t.result(notes, files...)
	if err != nil {
		return nil, err
	}
	answer.EditID = parts[0].Edit.ID
	answer.Message = t.prefix() + b.Words(answer)
	if !t.onlyPlans() {
		s.logEdit(answer, t.command)
	}
	t.saveClean(answer)
	return answer, nil
}

// perFile returns the changes, the last first. It merges a rename with the change that precedes it
// in the same file.
func perFile(steps []*step) []*step {
	var files []*step
	for _, st := range steps {
		if n := len(files); n > 0 && st.Kind == editor.Rename && files[n-1].Key == st.Key {
			both := *files[n-1].Change
			both.Kind, both.To = editor.Rename, st.To
			files[n-1] = &step{Change: &both, outcome: st.outcome}
			continue
		}
		files = append(files, st)
	}
	slices.Reverse(files)
	return files
}

// byText groups the parts that one change of a document can take back. A group is what successive
// edits did to the text of one document; its last part may have created the file.
func byText(parts []review.Part) (texts [][]review.Part) {
	for i, pt := range parts {
		if i > 0 && parts[i-1].Edit.ID != pt.Edit.ID && parts[i-1].Step.Target.Key == pt.Step.Target.Key {
			texts[len(texts)-1] = append(texts[len(texts)-1], pt)
			continue
		}
		texts = append(texts, []review.Part{pt})
	}
	return texts
}

// partsInTurn waits for the turns of the texts concerned, and returns the parts to take back.
// Which texts are concerned is known only when all earlier commands are done.
func (s *Session) partsInTurn(r *Run, b TakingBack) ([]review.Part, error) {
	for held := []paths.Key(nil); ; {
		var place paths.Target
		var err error
		if b.Path != "" {
			if place, err = s.Workspace().Resolve(b.Path); err != nil {
				return nil, err
			}
		}
		parts, err := b.Parts(place)
		if err != nil {
			return nil, err
		}
		var keys []paths.Key
		for _, pt := range parts {
			keys = append(keys, pt.Edit.Texts()...)
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

// forgetParts removes parts of edits that were taken back in one document from its history and
// from the log of edits.
func (s *Server) forgetParts(ctx context.Context, parts []review.Part, l apply.Outcome) {
	j := l.Change
	switch j.Kind {
	case editor.Rename:
		s.Documents.Renamed(j.Key, j.To.Key)
		s.EditLog.Rename(j.Key, j.To)
	case editor.Update:
		h, at, err := placeOf(s.Documents, l)
		if err == nil {
			err = h.RecordUndo(at.From, at.Seq, at.Before, at.Own, nil, inHistory(parts)...)
		}
		if err != nil {
			s.Log.WarnContext(ctx, "undo is not in the history", "edit", parts[0].Edit.ID, "error", err)
		}
	}
	h := s.Documents.History(parts[0].Step.Target.Key)
	for _, pt := range parts {
		if j.Kind == editor.Delete && h != nil {
			h.End(pt.Edit.ID, true)
		}
		if j.Kind == editor.Update && h != nil && len(pt.Hunks) > 0 && slices.Contains(h.Edits(), pt.Edit.ID) {
			continue // other hunks are left
		}
		s.EditLog.Remove(pt.Edit.ID, pt.Step.Number)
	}
}

// inHistory returns parts in the form that the history of their document uses.
func inHistory(parts []review.Part) []history.Part {
	all := make([]history.Part, len(parts))
	for i, pt := range parts {
		all[i] = history.Part{ID: pt.Edit.ID, Hunks: pt.Hunks}
	}
	return all
}
