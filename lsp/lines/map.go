package lines

import (
	"fmt"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Map says where the lines of a text have gone. Lines are from 1. It is not safe for concurrent
// use, since it remembers for Note what it was asked.
type Map struct {
	was, now text.Text
	runs     []run
	moved    [2]int // the first line that has another number now, and that number
}

// NewMap returns where the lines of was are in now, which the changes have made of it.
func NewMap(was, now text.Text, changes changeset.Changeset) *Map {
	return &Map{was: was, now: now, runs: keptLines(was, now, changes.Edits())}
}

// Since is NewMap for a text that has become now in whatever way.
func Since(was, now text.Text) *Map {
	return &Map{was: was, now: now, runs: keptSince(was, now)}
}

// Lines returns the first line that the lines [from,to] are now, all of them
// unchanged and with nothing between them that was not there.
func (m *Map) Lines(from, to int) (int, bool) {
	now, ok := after(m.runs, from, to)
	if ok && now != from && m.moved[0] == 0 {
		m.moved = [2]int{from, now}
	}
	return now, ok
}

// After returns the line after which something is to be inserted; 0 is the top.
func (m *Map) After(line int) (int, bool) {
	if line == 0 {
		return 0, true
	}
	return m.Lines(line, line)
}

// Before returns the line before which something is to be inserted, which may be
// the one past the last: then the last must be it still.
func (m *Map) Before(line int) (int, bool) {
	n := m.was.Lines()
	switch {
	case line <= n:
		return m.Lines(line, line)
	case n == 0:
		return line, m.now.Lines() == 0
	}
	last, ok := m.Lines(n, n)
	return last + 1, ok && last == m.now.Lines()
}

// Note says that numbers were carried, "" if they were not.
func (m *Map) Note() string {
	if m.moved[0] == 0 {
		return ""
	}
	return fmt.Sprintf("The text has changed since it was shown: its line %d is line %d now.", m.moved[0], m.moved[1])
}
