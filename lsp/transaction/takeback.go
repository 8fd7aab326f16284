package transaction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
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
	plan, carryOut := s.planEach, (*patching).takeAll
	if together(parts) {
		plan, carryOut = s.planTogether, (*patching).takeInTurn
	}
	var jobs []*apply.Change
	r.share.Compute(func() { jobs, err = plan(parts) })
	if err != nil {
		return nil, err
	}
	p := &patching{s: s, command: t.Command, share: r.share, holds: &r.holds, label: label(t.Command, t.EditOptions)}
	for i, j := range jobs {
		f := &patchplan.File{Given: parts[i].Step.Given}
		p.files, p.done = append(p.files, f), append(p.done, &patchStep{file: f, Change: j})
	}
	if t.DryRun {
		return p.takenBack(parts, t.Words, outcomeDryRun), nil
	}
	p.done = nil
	if err := a.check(proposal.Of(fmt.Sprintf("Takes back %s.", edits.Count(len(parts), "edit")), jobs...), nil); err != nil {
		return nil, err
	}
	if err := carryOut(p, r, parts); err != nil {
		return nil, err
	}
	s.ReviewChanged()
	result := p.takenBack(parts, t.Words, outcomeApplied)
	s.logEdit(result, t.Command)
	return result, nil
}

// planEach plans each part by itself.
func (s *Session) planEach(parts []review.Part) ([]*apply.Change, error) {
	var jobs []*apply.Change
	for _, pt := range parts {
		j, err := s.takeBackJob(pt)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// takeAll takes all parts back, each in a file of its own, or none.
func (p *patching) takeAll(r *Run, parts []review.Part) error {
	forward, end := r.forward(p.s, len(parts))
	defer end()
	call.Of(r.Ctx).Made(parts[0].Edit.ID)
	for i, pt := range parts {
		if err := p.applyPlanned(r.Ctx, forward, p.files[i], func() (*apply.Change, error) { return p.s.takeBackJob(pt) }); err != nil {
			return p.putBack(p.files[i], err)
		}
	}
	for i, st := range p.done {
		p.s.forgetPart(r.Ctx, parts[i], st.landed)
	}
	p.tellTakenBack(parts)
	return nil
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

// forgetPart takes a part out of the history of its document, and out of what can be
// taken back.
func (s *Server) forgetPart(ctx context.Context, pt review.Part, l apply.Outcome) {
	j := l.Change
	switch j.Kind {
	case editor.Rename:
		s.Documents.Renamed(j.Key, j.To.Key)
		s.Made.Rename(j.Key, j.To)
	case editor.Update:
		h, at, err := placeOf(s.Documents, l)
		if err == nil {
			err = h.Undone(pt.Edit.ID, at.From, at.Seq, at.Before, at.Own, nil, pt.Hunks...)
		}
		if err != nil {
			s.Log.WarnContext(ctx, "undo is not in the history", "edit", pt.Edit.ID, "error", err)
		}
		if h := s.Documents.History(pt.Step.Target.Key); h != nil && len(pt.Hunks) > 0 && slices.Contains(h.Edits(), pt.Edit.ID) {
			return // other hunks are left
		}
	case editor.Delete:
		if h := s.Documents.History(j.Key); h != nil {
			h.Disown(pt.Edit.ID)
		}
	}
	s.Made.Remove(pt.Edit.ID, pt.Step.Number)
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

// Where several edits of one document are taken back at once, one may have changed what
// another wrote: the newest goes first, and each is planned on what those before it leave.
// They are made one after the other, and what is done is not put back if one fails: each
// is an edit of its own.

// together says that the parts are about one document.
func together(parts []review.Part) bool {
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(pt review.Part) bool {
		return pt.Step.Target.Key != parts[0].Step.Target.Key || pt.Edit.ID == parts[0].Edit.ID && pt.Step.Number != parts[0].Step.Number
	})
}

// foreseen is what a document would be after some of the parts.
type foreseen struct {
	history *history.History
	text    text.Text
}

// planTogether plans all parts, each on what is left by those before it, as one change.
func (s *Session) planTogether(parts []review.Part) ([]*apply.Change, error) {
	var jobs []*apply.Change
	var now foreseen
	for i, pt := range parts {
		j, err := s.planAfter(pt, now, i == 0)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
		if j.Kind != editor.Update {
			break // there is nothing left
		}
		if i == 0 {
			if now.history = s.Documents.History(pt.Step.Target.Key).Clone(); !now.history.Text().Equal(j.Text) {
				return nil, &edits.Error{Kind: editor.NotSettled, Path: pt.Step.Given, Message: fmt.Sprintf("The text of %s kept changing; try again.", pt.Step.Given)}
			}
		}
		c := changeset.Of(j.Plan.Edits, j.Text)
		seq := now.history.Record(c, j.After)
		if err := now.history.Undone(pt.Edit.ID, seq-1, seq, nil, c, nil, pt.Hunks...); err != nil {
			return nil, forgotten(pt.Edit, pt.Step, s.Limits())
		}
		now.text = j.After
	}
	return []*apply.Change{asOne(jobs)}, nil
}

// planAfter plans a part on what those before it leave.
func (s *Session) planAfter(pt review.Part, now foreseen, first bool) (*apply.Change, error) {
	st := pt.Step
	switch {
	case first:
		return s.takeBackJob(pt)
	case st.Change == editor.Create && !text.Same(now.text, st.Text, true):
		return nil, &edits.Error{Kind: commands.UndoConflict, Path: st.Given, Message: fmt.Sprintf(
			"Edit %s of %s cannot be taken back: its text has changed since it was made.", pt.Edit.ID, st.Given)}
	case st.Change == editor.Create:
		snap, err := s.Workspace().Read(st.Target)
		snap.Text = now.text
		return &apply.Change{Snapshot: snap, Kind: editor.Delete}, err
	}
	snap, err := s.Workspace().ReadToEdit(st.Target)
	if err != nil {
		return nil, err
	}
	snap.Text = now.text
	c, _, err := now.history.Undo(pt.Edit.ID, pt.Hunks...)
	if err != nil {
		return nil, conflict(pt, snap, err, s.Limits())
	}
	j := &apply.Change{Snapshot: snap, Kind: editor.Update, Plan: diff.PlanOf(now.text, c.Edits())}
	j.After = j.Plan.Edits.Apply(now.text)
	return j, nil
}

// asOne returns what changes of one document come to, one after the other.
func asOne(jobs []*apply.Change) *apply.Change {
	one, last := *jobs[0], jobs[len(jobs)-1]
	one.Kind, one.After = last.Kind, last.After
	one.Plan = diff.PlanOf(one.Text, changeset.Difference(one.Text, one.After).Edits())
	for _, j := range jobs {
		one.Plan.Notes = append(one.Plan.Notes, j.Plan.Notes...)
	}
	return &one
}

// takeInTurn takes parts of one document back, one after the other.
func (p *patching) takeInTurn(r *Run, parts []review.Part) error {
	var jobs []*apply.Change
	for i, pt := range parts {
		p.done = nil
		if err := p.applyPlanned(r.Ctx, r.Bounded, p.files[0], func() (*apply.Change, error) { return p.s.takeBackJob(pt) }); err != nil {
			err = p.putBack(p.files[0], err)
			if i > 0 {
				err = tookBackBefore(err, parts[:i])
			}
			p.s.ReviewChanged()
			return err
		}
		p.s.forgetPart(r.Ctx, pt, p.done[0].landed)
		jobs = append(jobs, p.done[0].landed.Change)
		p.tellTakenBack(parts[i : i+1])
	}
	if st := p.done[0]; st.Kind == editor.Update {
		st.landed.Change = asOne(jobs)
		st.Change = st.landed.Change
	}
	return nil
}

// tookBackBefore says in an error what was taken back before it.
func tookBackBefore(err error, parts []review.Part) error {
	var names []string
	for _, pt := range parts {
		names = append(names, strings.ToLower(pt.Name()[:1])+pt.Name()[1:])
	}
	full := *editor.Failure(err)
	full.Message += fmt.Sprintf(" Before that %s had been taken back.", edits.Listed(names))
	return &full
}
