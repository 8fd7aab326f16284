package lines

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Map reports where the lines of a text are in a newer text. Lines are counted from 1. It is not safe
// for concurrent use, since its methods record for Note what they returned.
type Map struct {
	was, now  text.Text
	runs      []run
	firstMove [2]int // the first line asked for that has a new number, and that number

	Asked Asked
	// Unknown: a line was asked for that is not among those that may be.
	Unknown bool
}

// Asked is how a [Map] is asked for lines. The zero value is for numbers that come with a rev.
type Asked struct {
	Careful bool  // a line is reported only if one line on either side of it is unchanged, too
	Known   Spans // the lines that may be asked for
	Strict  bool  // no other line is reported
	Beside  bool  // but for insertions beside one of them
}

// knows reports whether a number may be asked for.
func (m *Map) knows(from, to int) bool { return !m.Asked.Strict || m.Asked.Known.Holds(from, to) }

// NewMap returns the map from the lines of was to those of now, which is was with the changes applied.
func NewMap(was, now text.Text, changes changeset.Changeset) *Map {
	return &Map{was: was, now: now, runs: keptLines(was, now, changes.Edits())}
}

// Since is like NewMap for texts between which the changes are not known; it finds them by a line
// diff, which ignores differences in line ends.
func Since(was, now text.Text) *Map {
	if was.Equal(now) {
		return NewMap(was, now, changeset.Changeset{})
	}
	m := &Map{was: was, now: now}
	a, _ := unixLines(was.Slice(0, was.Len())) // String's result lives as long as the text
	b, _ := unixLines(now.Slice(0, now.Len()))
	for i, at := range diff.SameLines(a, b) {
		switch n := len(m.runs) - 1; {
		case at < 0:
		case n >= 0 && m.runs[n].old+m.runs[n].n == i+1 && m.runs[n].new+m.runs[n].n == int(at)+1:
			m.runs[n].n++
		default:
			m.runs = append(m.runs, run{i + 1, int(at) + 1, 1})
		}
	}
	return m
}

// gap are lines between two runs, which have changed: old became new. Either may be empty.
type gap struct {
	old, new Span
	then     run // that follows
}

// gaps returns the changed lines, and an empty run at the end.
func (m *Map) gaps() (all []gap) {
	at := run{old: 1, new: 1}
	for _, r := range append(slices.Clip(m.runs), run{m.was.Lines() + 1, m.now.Lines() + 1, 0}) {
		all = append(all, gap{Span{at.old, r.old - 1}, Span{at.new, r.new - 1}, r})
		at = run{old: r.old + r.n, new: r.new + r.n}
	}
	return all
}

// Lines returns the number that line from has now. It reports false unless all of the
// lines [from,to] are unchanged and nothing was inserted between them.
func (m *Map) Lines(from, to int) (int, bool) { return m.lines(from, to, m.knows(from, to)) }

// lines is [Map.Lines] for lines that the agent knows, or does not know.
func (m *Map) lines(from, to int, known bool) (int, bool) {
	first, last := from, to
	if m.Asked.Careful {
		first, last = max(from-1, 1), min(to+1, m.was.Lines())
	}
	m.Unknown = m.Unknown || !known
	i := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].old+m.runs[i].n > from })
	if !known || i == len(m.runs) || first < m.runs[i].old || max(to, last) >= m.runs[i].old+m.runs[i].n {
		return 0, false
	}
	now := from + m.runs[i].new - m.runs[i].old
	if now != from && m.firstMove[0] == 0 {
		m.firstMove = [2]int{from, now}
	}
	return now, true
}

// After returns the line after which to insert something that was to go after line; 0 is the top.
func (m *Map) After(line int) (int, bool) {
	if line == 0 {
		return 0, true
	}
	return m.lines(line, line, m.knows(line, line) || m.Asked.Beside && m.knows(line+1, line+1))
}

// Before returns the line before which to insert something that was to go before line.
// line may be one past the end, provided that the last line is still the last one.
func (m *Map) Before(line int) (int, bool) {
	n := m.was.Lines()
	switch {
	case line <= n:
		return m.lines(line, line, line == 1 || m.knows(line, line) || m.Asked.Beside && m.knows(line-1, line-1))
	case n == 0:
		return line, m.now.Lines() == 0
	}
	last, ok := m.lines(n, n, !m.Asked.Strict || m.Asked.Beside) // else the agent may mean a line that was there, and has gone
	return last + 1, ok && last == m.now.Lines()
}

// Inserted returns the line of the newer text at which the lines of content stand, if they were put in below its line at, or
// beside what was put in there; otherwise 0.
func (m *Map) Inserted(at int, content string) int {
	for _, g := range m.gaps() {
		put := strings.TrimSuffix(text.Plain(content), "\n") + "\n"
		if g.new.From != at+1 && g.new.To != at || g.new.To-g.new.From-(g.old.To-g.old.From) < strings.Count(put, "\n") {
			continue
		}
		there := "\n" + text.Plain(m.now.Slice(m.now.LineStart(g.new.From-1), m.now.LineStart(g.new.To))) + "\n"
		if i := strings.Index(there, "\n"+put); i >= 0 {
			return g.new.From + strings.Count(there[:i], "\n")
		}
	}
	return 0
}

// Note returns a sentence about the numbers that were carried over, or "" if none were.
func (m *Map) Note() string {
	if m.firstMove[0] == 0 {
		return ""
	}
	return fmt.Sprintf("The text has changed since it was shown: its line %d is line %d now.", m.firstMove[0], m.firstMove[1])
}

// run says that n lines of a text, from line old on, are in another text from line new on. Lines are counted from 1.
type run struct{ old, new, n int }

// keptLines returns the lines of before that are unchanged in after, but for their ends, in order. after must be before with es
// applied.
func keptLines(before, after text.Text, es edits.Edits) (runs []run) {
	same := func(old, now int) bool {
		a, b := before.Line(old-1), after.Line(now-1)
		return before.Slice(a.Start, a.End) == after.Slice(b.Start, b.End)
	}
	at := run{old: 1, new: 1} // the lines below the last change
	for _, h := range append(diff.Hunks(es, before, after), edits.Hunk{StartLine: after.Lines() + 1}) {
		r, left := run{at.old, at.new, h.StartLine - at.new}, min(h.OldLines, h.NewLines)
		at = run{old: r.old + r.n + h.OldLines, new: h.StartLine + h.NewLines}
		for ; left > 0 && same(r.old+r.n, r.new+r.n); left-- {
			r.n++
		}
		for ; left > 0 && same(at.old-1, at.new-1); left-- {
			at.old, at.new = at.old-1, at.new-1
		}
		if r.n > 0 {
			runs = append(runs, r)
		}
	}
	return runs
}
