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

// Reloaded reports whether an agent's edit lies between two states of a document, so that the editor has not read the
// file anew. It waits for its turn, since one may be on its way. If there is none, and it is to be recorded, what lies
// between the two is recorded as all of the program that has written the file: so it is undone and reviewed
// as an agent's edit is.
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
	id := s.Made.Add("reload", s.Name(), 1, func(id string, _ int) review.Step {
		err = now.History.Attribute(was.Seq, now.Seq, id, nil, own, nil, diff.HunkNumbers(c.Plan, was.Text)...)
		return stepOf(c)
	}, s.forget)
	if err != nil { // it has changed meanwhile
		s.Made.Remove(id, 0)
		return false
	}
	s.ReviewChanged()
	return false
}
