package transaction

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// TakingBack is a command that takes edits of agents back, or parts of them.
type TakingBack struct {
	Command string
	commands.EditOptions
	EditID, Path string // by which it is said what; each may be empty
	// Parts returns what is to be taken back, in this order; place is what Path names, if there
	// is one. It is asked again when it is known which texts the parts are about.
	Parts func(place paths.Target) ([]review.Part, error)
	Words func(r *Result) string // what the answer says
}

// TakeBack takes parts of edits back, after the user has agreed if they are to be asked.
func (s *Session) TakeBack(ctx context.Context, arrival *workspace.Turn, b TakingBack) (*Result, error) {
	return s.confirmed(ctx, arrival, b.Command, b.EditOptions, func(r *Run, a *approval) (*Result, error) {
		return s.makeTakeBack(r, b, a)
	})
}

// makeTakeBack is the journey of taking back: find the edits, plan what takes them out of
// each text as it is now, apply. If one of the texts keeps its part, all do.
func (s *Session) makeTakeBack(r *Run, b TakingBack, a *approval) (*Result, error) {
	if err := r.Wait(s.undoTexts(b.EditID, b.Path)); err != nil {
		return nil, err
	}
	parts, err := s.partsInTurn(r, b)
	if err != nil {
		return nil, err
	}
	t := r.begin(b.Command, b.EditOptions)
	texts := byText(parts)
	var changes []change
	var steps []*step
	for _, of := range texts {
		c := change{name: of[0].Step.Given, plan: func() (*apply.Change, error) { return s.takeBackJob(of) }}
		st := &step{}
		r.share.Compute(func() { st.Change, err = c.plan() })
		if err != nil {
			return nil, err
		}
		changes, steps = append(changes, c), append(steps, st)
	}
	if !t.onlyPlans() {
		if err := a.check(fmt.Sprintf("Takes back %s.", edits.Count(len(parts), "edit")), nil, changesOf(steps)...); err != nil {
			return nil, err
		}
		t.call.Made(parts[0].Edit.ID)
		if err := t.run(changes...); err != nil {
			return nil, err
		}
		for i, st := range t.done {
			s.forgetParts(r.Ctx, texts[i], *st.outcome)
		}
		t.tellTakenBack(texts)
		s.ReviewChanged()
		steps = t.done
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

// perFile returns the changes, the last first, and with a renaming as one what was changed before
// it in the file.
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

// byText returns the parts with those together that one change of a document takes back: what
// edits one after the other have done to its text, the last of which may have made the file.
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

// partsInTurn returns what is to be taken back, when it is its texts' turn. Which texts
// they are is only known when all that came before is done.
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

// forgetParts takes parts of edits of one document out of its history, and out of what can be
// taken back.
func (s *Server) forgetParts(ctx context.Context, parts []review.Part, l apply.Outcome) {
	j := l.Change
	switch j.Kind {
	case editor.Rename:
		s.Documents.Renamed(j.Key, j.To.Key)
		s.Made.Rename(j.Key, j.To)
	case editor.Update:
		h, at, err := placeOf(s.Documents, l)
		if err == nil {
			err = h.Undone(at.From, at.Seq, at.Before, at.Own, nil, inHistory(parts)...)
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
		s.Made.Remove(pt.Edit.ID, pt.Step.Number)
	}
}

// inHistory returns parts as the history of their document has them.
func inHistory(parts []review.Part) []history.Part {
	all := make([]history.Part, len(parts))
	for i, pt := range parts {
		all[i] = history.Part{ID: pt.Edit.ID, Hunks: pt.Hunks}
	}
	return all
}
