package lsp

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/workspace"
)

// Line numbers are about a text that the agent has seen. Until the edit is made
// that text changes: by typing, and by edits of other agents. The numbers are
// carried to where their lines have gone; if a line itself has changed, nobody
// can tell what was meant, and nothing is done.

// carry returns args with line numbers that are about snap. They are about the
// text of the try before, or about that which rev names.
func (s *caller) carry(args commands.Edit, snap workspace.Snapshot, prior *job, work *edits.Work) (commands.Edit, *lines.Map, error) {
	t, rev := args.Target(), args.Options().Rev
	lined, ok := args.(commands.ByLines)
	if _, byLedger := args.(reference.SnapshotPlanner); !ok || !t.ByLine || byLedger && rev == "" {
		return args, nil, nil
	}
	var m *lines.Map
	switch {
	case prior != nil:
		lined, _ = prior.args.(commands.ByLines)
		m = lines.NewMap(prior.Text, snap.Text, between(prior.Snapshot, snap))
	case rev == "" || rev == snap.Text.Hash():
		return args, nil, nil
	default:
		was, changes, known := snap.At(rev)
		if !known {
			return nil, nil, staleLines(snap, t, "since rev "+rev)
		}
		if _, err := s.planOn(args, workspace.Snapshot{Target: snap.Target, Text: was}, work); err != nil {
			return nil, nil, err // the numbers were wrong even then
		}
		m = lines.NewMap(was, snap.Text, changes)
	}
	now, ok := lined.At(m)
	if !ok {
		return nil, nil, staleLines(snap, t, "in those lines")
	}
	return now, m, nil
}

// between returns what has changed from one snapshot of a document to another.
func between(was, now workspace.Snapshot) changeset.Changeset {
	if was.Doc != nil && now.Doc != nil && was.Doc.History == now.Doc.History {
		c, ok := now.Doc.History.SinceSeq(was.Doc.Seq)
		if then, valid := c.Apply(was.Text); ok && valid && then.Equal(now.Text) {
			return c
		}
	}
	return changeset.Difference(was.Text, now.Text)
}

// staleLines refuses line numbers whose lines are others by now, and shows those
// that have them.
func staleLines(snap workspace.Snapshot, t commands.Target, since string) error {
	const most = 40
	e := &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
		"The text of %s has changed %s, so its line numbers may be about other lines; view it and send the numbers and the rev that it has now.", snap.Path, since)}
	from, to := max(t.From, 1), min(t.To, snap.Text.Lines(), t.From+most)
	if from <= to {
		e.Snippet = edits.Numbered(snap.Text, from, to)
	}
	return e
}
