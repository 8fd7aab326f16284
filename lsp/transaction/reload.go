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

// Reloaded records that the editor has read the file of a document anew, which another program has
// written: so it is undone and reviewed as an agent's edit is. The document was one state, and is now the
// other; what lies between them is all of that program. It waits for its turn: an agent's edit that is on
// its way may lie between them, and then nothing is recorded.
func (s *Session) Reloaded(ctx context.Context, place paths.Target, was, now *workspace.Document) {
	turn := s.queues.Take(place.Identity())
	defer turn.Done()
	if turn.Wait(ctx) != nil || was.History != now.History || was.Text.Equal(now.Text) {
		return
	}
	es := diff.Rewrite(was.Text, 0, was.Text.Len(), now.Text.String())
	c := &apply.Change{Kind: editor.Update, Plan: diff.PlanOf(was.Text, es), After: now.Text}
	c.Target, c.Text = place, was.Text
	var err error
	id := s.Made.Add("reload", s.Name(), 1, func(id string, _ int) review.Step {
		err = now.History.Attribute(was.Seq, now.Seq, id, nil, changeset.Of(es, was.Text), nil, diff.HunkNumbers(c.Plan, was.Text)...)
		return stepOf(c)
	}, s.forget)
	if err != nil { // an agent's edit lies between
		s.Made.Remove(id, 0)
		return
	}
	s.ReviewChanged()
}
