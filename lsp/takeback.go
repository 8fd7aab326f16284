package lsp

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// takingBack is a command that takes edits of agents back, or parts of them.
type takingBack struct {
	command string
	commands.EditOptions
	texts func(*edits.Work) *workspace.Turns // for which it waits before it looks for them
	// parts returns what is to be taken back, in this order. It is asked again when it is
	// known which texts these are about.
	parts func() ([]part, error)
	words func(r *Result) string // what the answer says
}

// part is what an edit did to one document, or hunks of that.
type part struct {
	edit  *review.Edit
	step  review.Step
	hunks []int // nil for all that are left
}

// partsOf returns all of an edit, the last first.
func partsOf(e *review.Edit) []part {
	var parts []part
	for _, st := range slices.Backward(e.Steps) {
		parts = append(parts, part{edit: e, step: st})
	}
	return parts
}

// takeBack takes parts of edits back, after the user has agreed if they are to be asked.
func (s *caller) takeBack(ctx context.Context, arrival *workspace.Turn, t takingBack) (*Result, error) {
	return s.confirmed(ctx, arrival, t.command, t.EditOptions, func(arrival *workspace.Turn, a *approval) (*Result, error) {
		return s.makeTakeBack(ctx, arrival, t, a)
	})
}

// makeTakeBack is the journey of taking back: find the edits, plan what takes them out of
// each text as it is now, apply. If one of the texts keeps its part, all do.
func (s *caller) makeTakeBack(ctx context.Context, arrival *workspace.Turn, t takingBack, a *approval) (*Result, error) {
	r, err := s.begin(ctx, arrival, t.texts)
	if err != nil {
		return nil, err
	}
	defer r.end()
	parts, err := s.partsInTurn(r, t)
	if err != nil {
		return nil, err
	}
	if together(parts) {
		return s.makeTogether(r, t, a, parts)
	}
	p := &patching{s: s, command: t.command, holds: &r.holds, label: label(t.command, t.EditOptions)}
	planned := &proposal{message: fmt.Sprintf("Takes back %s.", edits.Count(len(parts), "edit"))}
	for _, pt := range parts {
		f := &patchplan.File{Given: pt.step.Given}
		p.files = append(p.files, f)
		j, err := s.takeBackJob(pt)
		if err != nil {
			return nil, err
		}
		if t.DryRun {
			p.done = append(p.done, &patchStep{file: f, Change: j})
		}
		planned.diff += j.Diff()
		planned.files = append(planned.files, proposedBy(j))
	}
	if err := a.check(planned); err != nil && !t.DryRun {
		return nil, err
	}
	if t.DryRun {
		return p.takenBack(parts, t.words, outcomeDryRun), nil
	}
	forward, end := r.forward(s.server, len(parts))
	defer end()
	journeyOf(r.ctx).made(parts[0].edit.ID)
	for i, pt := range parts {
		if err := p.applyPlanned(r.ctx, forward, p.files[i], func() (*apply.Change, error) { return s.takeBackJob(pt) }); err != nil {
			return nil, p.putBack(p.files[i], err)
		}
	}
	for i, st := range p.done {
		s.forgetPart(r.ctx, parts[i], st.landed)
	}
	p.tellTakenBack(parts)
	s.reviewChanged()
	result := p.takenBack(parts, t.words, outcomeApplied)
	s.logEdit(result, t.command)
	return result, nil
}

// partsInTurn returns what is to be taken back, when it is its texts' turn. Which texts
// they are is only known when all that came before is done.
func (s *caller) partsInTurn(r *run, t takingBack) ([]part, error) {
	for held := map[paths.Key]bool{}; ; {
		parts, err := t.parts()
		if err != nil {
			return nil, err
		}
		var keys []paths.Key
		missing := false
		for _, pt := range parts {
			for _, key := range pt.edit.Texts() {
				keys = append(keys, key)
				missing = missing || !held[key]
			}
		}
		if !missing {
			return parts, nil
		}
		r.turns.Done()
		if r.turns = s.textQueues.Take(keys...); r.turns.Wait(r.ctx) != nil {
			return nil, apply.NotSent(r.ctx, "other edits went first")
		}
		clear(held)
		for _, key := range keys {
			held[key] = true
		}
	}
}

// forgetPart takes a part out of the history of its document, and out of what can be
// taken back.
func (s *server) forgetPart(ctx context.Context, pt part, l apply.Outcome) {
	j := l.Change
	switch j.Kind {
	case editor.Rename:
		s.docs.Renamed(j.Key, j.To.Key)
		s.made.Rename(j.Key, j.To)
	case editor.Update:
		if err := s.historyUndone(pt, l); err != nil {
			s.log.WarnContext(ctx, "undo is not in the history", "edit", pt.edit.ID, "error", err)
		}
		if h := s.docs.History(pt.step.Target.Key); h != nil && len(pt.hunks) > 0 && slices.Contains(h.Edits(), pt.edit.ID) {
			return // other hunks are left
		}
	case editor.Delete:
		if h := s.docs.History(j.Key); h != nil {
			h.Disown(pt.edit.ID)
		}
	}
	s.made.Remove(pt.edit.ID, pt.step.Number)
}

// historyUndone says in the history of a document that a part was taken back.
func (s *server) historyUndone(pt part, l apply.Outcome) error {
	if l.Landing != nil && l.Landing.From >= 0 {
		return l.Doc.History.Undone(pt.edit.ID, l.Landing.From, l.Landing.Seq, l.Landing.Before, l.Landing.Own, nil, pt.hunks...)
	}
	h, seq, own, err := s.unseen(l)
	if err != nil {
		return err
	}
	return h.Undone(pt.edit.ID, seq-1, seq, nil, own, nil, pt.hunks...)
}

// takenBack returns the answer.
func (p *patching) takenBack(parts []part, words func(*Result) string, how outcome) *Result {
	r := &Result{Notes: []string{}, EditID: parts[0].edit.ID}
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
