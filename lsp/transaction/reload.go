package transaction

import (
	"context"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Reloaded reports whether an agent's edit was made between two states of a document; then the editor has not
// reread the file. It waits for its turn, since an edit may be in flight. If there was no edit and record is set,
// the whole change is recorded as an edit of the program that has written the file. It can then be undone and
// reviewed like an agent's edit.
func (s *Session) Reloaded(ctx context.Context, place paths.Target, was, now *workspace.Document, record bool) (edited bool) {
	turn := s.queues.Take(place.Identity())
	defer turn.Done()
	if turn.Wait(ctx) != nil || was.History != now.History || was.Text.Equal(now.Text) {
		return false
	}
	es := diff.Rewrite(was.Text, 0, was.Text.Len(), now.Text.String())
	own := changeset.Of(es, was.Text)
	if now.History.Clone().Attribute(was.Seq, now.Seq, "reload", nil, own, nil) != nil {
		return true
	}
	if !record {
		return false
	}
	c := &apply.Change{Kind: editor.Update, Plan: diff.PlanOf(was.Text, es), After: now.Text}
	c.Target, c.Text = place, was.Text
	var err error
	id := s.EditLog.Add("reload", s.Name(), 1, func(id string, _ int) review.Step {
		err = now.History.Attribute(was.Seq, now.Seq, id, nil, own, nil, diff.HunkNumbers(c.Plan, was.Text)...)
		return stepOf(c)
	}, s.forget)
	if err != nil { // the history has changed meanwhile
		s.EditLog.Remove(id, 0)
		return false
	}
	s.ReviewChanged()
	return false
}
