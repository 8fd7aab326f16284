package transaction

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// TakingBack is a command that takes edits of agents back, or parts of them.
type TakingBack struct {
	Command string
	commands.EditOptions
	Texts func(*edits.Work) *workspace.Turn // for which it waits before it looks for them
	// Parts returns what is to be taken back, in this order. It is asked again when it is
	// known which texts these are about.
	Parts func() ([]review.Part, error)
	Words func(r *Result) string // what the answer says
}

// TakeBack takes parts of edits back, after the user has agreed if they are to be asked.
func (s *Session) TakeBack(ctx context.Context, arrival *workspace.Turn, t TakingBack) (*Result, error) {
	return s.confirmed(ctx, arrival, t.Command, t.EditOptions, func(arrival *workspace.Turn, a *approval) (*Result, error) {
		return s.makeTakeBack(ctx, arrival, t, a)
	})
}

// makeTakeBack is the journey of taking back: find the edits, plan what takes them out of
// each text as it is now, apply. If one of the texts keeps its part, all do.
func (s *Session) makeTakeBack(ctx context.Context, arrival *workspace.Turn, t TakingBack, a *approval) (*Result, error) {
	r, err := s.Begin(ctx, arrival, t.Texts)
	if err != nil {
		return nil, err
	}
	defer r.End()
	parts, err := s.partsInTurn(r, t)
	if err != nil {
		return nil, err
	}
	p := &patching{s: s, command: t.Command, share: r.share, holds: &r.holds, label: label(t.Command, t.EditOptions)}
	texts := byText(parts)
	var jobs []*apply.Change
	r.share.Compute(func() {
		for _, of := range texts {
			var j *apply.Change
			if j, err = s.takeBackJob(of); err != nil {
				return
			}
			f := &patchplan.File{Given: of[0].Step.Given}
			jobs, p.files, p.done = append(jobs, j), append(p.files, f), append(p.done, &patchStep{file: f, Change: j})
		}
	})
	if err != nil {
		return nil, err
	}
	if t.DryRun {
		return p.takenBack(parts, t.Words, outcomeDryRun), nil
	}
	p.done = nil
	if err := a.check(proposal.Of(fmt.Sprintf("Takes back %s.", edits.Count(len(parts), "edit")), jobs...), nil); err != nil {
		return nil, err
	}
	forward, end := r.forward(s, len(texts))
	defer end()
	call.Of(r.Ctx).Made(parts[0].Edit.ID)
	for i, of := range texts {
		if err := p.applyPlanned(r.Ctx, forward, p.files[i], func() (*apply.Change, error) { return s.takeBackJob(of) }); err != nil {
			return nil, p.putBack(p.files[i], err)
		}
	}
	for i, st := range p.done {
		s.forgetParts(r.Ctx, texts[i], st.landed)
	}
	p.tellTakenBack(texts)
	s.ReviewChanged()
	result := p.takenBack(parts, t.Words, outcomeApplied)
	s.logEdit(result, t.Command)
	return result, nil
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
func (s *Server) partsInTurn(r *Run, t TakingBack) ([]review.Part, error) {
	for held := map[paths.Key]bool{}; ; {
		parts, err := t.Parts()
		if err != nil {
			return nil, err
		}
		var keys []paths.Key
		missing := false
		for _, pt := range parts {
			for _, key := range pt.Edit.Texts() {
				keys = append(keys, key)
				missing = missing || !held[key]
			}
		}
		if !missing {
			return parts, nil
		}
		r.turns.Done()
		if r.turns = s.queues.Take(keys...); r.turns.Wait(r.Ctx) != nil {
			return nil, apply.NotSent(r.Ctx, "other edits went first")
		}
		clear(held)
		for _, key := range keys {
			held[key] = true
		}
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
			h.Disown(pt.Edit.ID)
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

// takenBack returns the answer.
func (p *patching) takenBack(parts []review.Part, words func(*Result) string, how outcome) *Result {
	r := &Result{Notes: []string{}, EditID: parts[0].Edit.ID}
	renamed := map[paths.Key]FileResult{} // by the key of the name that it had
	for i, st := range slices.Backward(p.done) {
		if how == outcomeApplied {
			p.remember(st)
		}
		part := p.s.result(st.Change, how, st.landed)
		r.Applied, r.Verified, r.Rebased = part.Applied, part.Verified && (r.Verified || i == len(p.done)-1), r.Rebased || part.Rebased
		r.Notes = append(r.Notes, part.Notes...)
		file := &part.Files[0]
		if now, ok := renamed[st.Key]; ok { // after this step
			file.URI, file.NewPath, file.Open, file.Dirty, file.Saved = now.URI, now.NewPath, now.Open, now.Dirty, now.Saved
		} else if st.Kind == editor.Rename {
			renamed[st.Key] = *file
		}
		r.Files = append(r.Files, *file)
		r.Diff += part.Diff
	}
	r.Message = words(r)
	if !r.Applied {
		r.Message = "Dry run, nothing was changed: " + r.Message
	}
	return r
}
