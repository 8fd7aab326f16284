package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/workspace/history"
)

// Where several edits of one document are taken back at once, one may have changed what
// another wrote: the newest goes first, and each is planned on what those before it leave.
// They are made one after the other, and what is done is not put back if one fails: each
// is an edit of its own.

// together says that the parts are about one document.
func together(parts []part) bool {
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(pt part) bool {
		return pt.step.Target.Key != parts[0].step.Target.Key || pt.edit.ID == parts[0].edit.ID && pt.step.Number != parts[0].step.Number
	})
}

// foreseen is what a document would be after some of the parts.
type foreseen struct {
	history *history.History
	text    text.Text
}

// planTogether plans all parts, each on what is left by those before it.
func (s *server) planTogether(parts []part) ([]*apply.Change, error) {
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
			if now.history = s.docs.History(pt.step.Target.Key).Clone(); !now.history.Text().Equal(j.Text) {
				return nil, &edits.Error{Kind: editor.NotSettled, Path: pt.step.Given, Message: fmt.Sprintf("The text of %s kept changing; try again.", pt.step.Given)}
			}
		}
		c := changeset.Of(j.Plan.Edits, j.Text)
		seq := now.history.Record(c, j.After)
		if err := now.history.Undone(pt.edit.ID, seq-1, seq, nil, c, nil, pt.hunks...); err != nil {
			return nil, forgotten(pt.edit, pt.step, s.limitsNow())
		}
		now.text = j.After
	}
	return jobs, nil
}

// planAfter plans a part on what those before it leave.
func (s *server) planAfter(pt part, now foreseen, first bool) (*apply.Change, error) {
	st := pt.step
	switch {
	case first:
		return s.takeBackJob(pt)
	case st.Change == editor.Create && !text.Same(now.text, st.Text, true):
		return nil, &edits.Error{Kind: commands.UndoConflict, Path: st.Given, Message: fmt.Sprintf(
			"Edit %s of %s cannot be taken back: its text has changed since it was made.", pt.edit.ID, st.Given)}
	case st.Change == editor.Create:
		snap, err := s.workspace().Read(st.Target)
		snap.Text = now.text
		return &apply.Change{Snapshot: snap, Kind: editor.Delete}, err
	}
	snap, err := s.workspace().ReadToEdit(st.Target)
	if err != nil {
		return nil, err
	}
	snap.Text = now.text
	c, _, err := now.history.Undo(pt.edit.ID, pt.hunks...)
	if err != nil {
		return nil, pt.conflict(snap, err, s.limitsNow())
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

// makeTogether takes the parts back, one after the other.
func (s *caller) makeTogether(r *run, t takingBack, a *approval, parts []part) (*Result, error) {
	jobs, err := s.planTogether(parts)
	if err != nil {
		return nil, err
	}
	p := &patching{s: s, command: t.command, holds: &r.holds, label: label(t.command, t.EditOptions)}
	f := &patchplan.File{Given: parts[0].step.Given}
	p.files = []*patchplan.File{f}
	plan := asOne(jobs)
	if t.DryRun {
		p.done = []*patchStep{{file: f, Change: plan}}
		return p.takenBack(parts, t.words, outcomeDryRun), nil
	}
	planned := proposalOf(plan)
	planned.message = fmt.Sprintf("Takes back %s.", edits.Count(len(parts), "edit"))
	if err := a.check(planned); err != nil {
		return nil, err
	}
	for i, pt := range parts {
		if err := p.applyPlanned(r.ctx, r.bounded, f, func() (*apply.Change, error) { return s.takeBackJob(pt) }); err != nil {
			err = p.putBack(f, err)
			if i > 0 {
				err = tookBackBefore(err, parts[:i])
			}
			s.reviewChanged()
			return nil, err
		}
		s.forgetPart(r.ctx, pt, p.done[0].landed)
		jobs[i] = p.done[0].landed.Change
		p.tellTakenBack(parts[i : i+1])
		if i < len(parts)-1 {
			p.done = nil
		}
	}
	s.reviewChanged()
	st := p.done[0]
	if first := asOne(jobs); st.Kind == editor.Update {
		st.landed.Change = first
		st.Change = first
	}
	result := p.takenBack(parts, t.words, outcomeApplied)
	s.logEdit(result, t.command)
	return result, nil
}

// tookBackBefore says in an error what was taken back before it.
func tookBackBefore(err error, parts []part) error {
	var names []string
	for _, pt := range parts {
		names = append(names, strings.ToLower(pt.name()[:1])+pt.name()[1:])
	}
	full := *editor.Failure(err)
	full.Message += fmt.Sprintf(" Before that %s had been taken back.", edits.Listed(names))
	return &full
}
