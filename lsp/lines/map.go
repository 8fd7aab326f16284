package lines

import (
	"fmt"
	"slices"
	"sort"

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
}

// NewMap returns the map from the lines of was to those of now, which is was with the changes applied.
func NewMap(was, now text.Text, changes changeset.Changeset) *Map {
	return &Map{was: was, now: now, runs: keptLines(was, now, changes.Edits())}
}

// Since is like NewMap for texts between which the changes are not known; it finds them by a line
// diff, which ignores differences in line ends.
func Since(was, now text.Text) *Map {
	m := &Map{was: was, now: now}
	whole := func(t text.Text) string { return text.Plain(t.Slice(0, t.Len())) } // String's result lives as long as t
	a, b := text.New(whole(was)), text.New(whole(now))
	if es := diff.Rewrite(a, 0, a.Len(), b.String()); es.Apply(a).Equal(b) { // else no line is known to be unchanged
		m.runs = keptLines(a, b, es)
	}
	return m
}

// Lines returns the number that line from has now. It reports false unless all of the
// lines [from,to] are unchanged and nothing was inserted between them.
func (m *Map) Lines(from, to int) (int, bool) {
	i := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].old+m.runs[i].n > from })
	if i == len(m.runs) || from < m.runs[i].old || to >= m.runs[i].old+m.runs[i].n {
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
	return m.Lines(line, line)
}

// Before returns the line before which to insert something that was to go before line.
// line may be one past the end, provided that the last line is still the last one.
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

// Note returns a sentence about the numbers that were carried over, or "" if none were.
func (m *Map) Note() string {
	if m.firstMove[0] == 0 {
		return ""
	}
	return fmt.Sprintf("The text has changed since it was shown: its line %d is line %d now.", m.firstMove[0], m.firstMove[1])
}

// run says that n lines of a text, from line old on, are in another text from line
// new on. Lines are counted from 1.
type run struct{ old, new, n int }

// keptLines returns the lines of before that are unchanged in after, in order. after
// must be before with es applied.
func keptLines(before, after text.Text, es edits.Edits) []run {
	var runs []run
	at, shift := 0, 0 // where the unchanged bytes begin, and how far they have moved
	end := edits.Edit{Start: before.Len()}
	for _, e := range append(slices.Clip(es), end) {
		r := runWithin(before, after, at, e.Start, shift)
		// An empty line next to an inserted one can be taken for either of the two.
		if n := len(runs); n > 0 && r.old < runs[n-1].old+runs[n-1].n {
			r = run{r.old + 1, r.new + 1, r.n - 1}
		}
		if r.n > 0 {
			runs = append(runs, r)
		}
		at = e.End
		shift += len(e.New) - (e.End - e.Start)
	}
	return runs
}

// runWithin returns the lines whose content is in the bytes [from,to) of before, which
// are shift bytes further on in after. The first and the last of these lines may be
// longer in after, and then they do not count as unchanged. The run is empty if there are none.
func runWithin(before, after text.Text, from, to, shift int) run {
	n := before.Lines()
	first := sort.Search(n, func(i int) bool { return before.Line(i).Start >= from })
	last := sort.Search(n, func(i int) bool { return before.Line(i).End > to }) - 1
	now := func(i int) int { return after.LineAt(before.Line(i).Start + shift) }
	same := func(i int) bool {
		l, k := before.Line(i), now(i)
		return k < after.Lines() && after.Line(k).Start == l.Start+shift && after.Line(k).End == l.End+shift
	}
	for first <= last && !same(first) {
		first++
	}
	for first < last && !same(last) {
		last--
	}
	if first > last {
		return run{}
	}
	return run{first + 1, now(first) + 1, last - first + 1}
}
