package lsp

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// Line numbers are about a text that the agent has seen. Until the edit is made
// that text changes: by typing, and by edits of other agents. The numbers are
// carried to where their lines have gone; if a line itself has changed, nobody
// can tell what was meant, and nothing is done.

// lineArguments are arguments whose place is given by line numbers.
type lineArguments interface {
	editArguments
	// at returns the arguments with the numbers that their lines have now; ok is
	// false if one of them is not there as it was.
	at(lines *lineMap) (now editArguments, ok bool)
}

// lineMap says where the lines of a text have gone. Lines are from 1.
type lineMap struct {
	was, now text.Text
	runs     []lineRun
	moved    [2]int // the first line that has another number now, and that number
}

func newLineMap(was, now text.Text, changes edits.Changeset) *lineMap {
	return &lineMap{was: was, now: now, runs: keptLines(was, now, changes.Edits())}
}

// lines returns the first line that the lines [from,to] are now, all of them
// unchanged and with nothing between them that was not there.
func (m *lineMap) lines(from, to int) (int, bool) {
	now, ok := lineAfter(m.runs, from, to)
	if ok && now != from && m.moved[0] == 0 {
		m.moved = [2]int{from, now}
	}
	return now, ok
}

// after returns the line after which something is to be inserted; 0 is the top.
func (m *lineMap) after(line int) (int, bool) {
	if line == 0 {
		return 0, true
	}
	return m.lines(line, line)
}

// before returns the line before which something is to be inserted, which may be
// the one past the last: then the last must be it still.
func (m *lineMap) before(line int) (int, bool) {
	n := m.was.Lines()
	switch {
	case line <= n:
		return m.lines(line, line)
	case n == 0:
		return line, m.now.Lines() == 0
	}
	last, ok := m.lines(n, n)
	return last + 1, ok && last == m.now.Lines()
}

// carriedLine returns where a line is by now.
func carriedLine(line int, where func(int) (int, bool)) (*int, bool) {
	now, ok := where(line)
	return &now, ok
}

// note says that numbers were carried, "" if they were not.
func (m *lineMap) note() string {
	if m.moved[0] == 0 {
		return ""
	}
	return fmt.Sprintf("The text has changed since it was shown: its line %d is line %d now.", m.moved[0], m.moved[1])
}

// carry returns args with line numbers that are about snap. They are about the
// text of the try before, or about that which rev names.
func (s *caller) carry(args editArguments, snap workspace.Snapshot, prior *job, work *edits.Work) (editArguments, *lineMap, error) {
	t, rev := args.target(), args.options().Rev
	lined, ok := args.(lineArguments)
	if _, byLedger := args.(snapshotPlanner); !ok || !t.byLine || byLedger && rev == "" {
		return args, nil, nil
	}
	var m *lineMap
	switch {
	case prior != nil:
		lined, _ = prior.args.(lineArguments)
		m = newLineMap(prior.Text, snap.Text, between(prior.Snapshot, snap))
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
		m = newLineMap(was, snap.Text, changes)
	}
	now, ok := lined.at(m)
	if !ok {
		return nil, nil, staleLines(snap, t, "in those lines")
	}
	return now, m, nil
}

// between returns what has changed from one snapshot of a document to another.
func between(was, now workspace.Snapshot) edits.Changeset {
	if was.Doc != nil && now.Doc != nil && was.Doc.History == now.Doc.History {
		c, ok := now.Doc.History.SinceSeq(was.Doc.Seq)
		if then, valid := c.Apply(was.Text); ok && valid && then.Equal(now.Text) {
			return c
		}
	}
	return edits.Difference(was.Text, now.Text)
}

// staleLines refuses line numbers whose lines are others by now, and shows those
// that have them.
func staleLines(snap workspace.Snapshot, t target, since string) error {
	const most = 40
	e := &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
		"The text of %s has changed %s, so its line numbers may be about other lines; view it and send the numbers and the rev that it has now.", snap.Path, since)}
	from, to := max(t.from, 1), min(t.to, snap.Text.Lines(), t.from+most)
	if from <= to {
		e.Snippet = edits.Numbered(snap.Text, from, to)
	}
	return e
}
