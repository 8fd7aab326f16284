// Package merge merges the changes that two sides have made in one text, by whole lines:
//
//	base   "one\ntwo\nthree\n"
//	ours   "one\nTWO\nthree\n"
//	theirs "one\ntwo\nthree\nfour\n"
//	merged "one\nTWO\nthree\nfour\n"
//
// A change that both sides have made is merged once. It is a conflict if both change the same lines
// differently, if one inserts lines next to lines that the other has changed, or if both insert lines
// there, since the order of the two is not known. It is also a conflict if a line that each side has once would
// be there twice or not at all, as after both have moved it to different places: it is where theirs has it then.
package merge

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/patchls/patchls/edits/diff"
)

// Merged is a base with the changes of both sides.
type Merged struct {
	Text      string
	Conflicts []Conflict // where Text has the lines of theirs, and not those of ours: in order, then moved lines, sorted
}

// Conflict is a place that both sides have changed: the same lines as the base and each side has them.
type Conflict struct {
	Base, Ours, Theirs Lines
	Moved              bool // each side has the line once, and the changes of both would have it twice or not at all; Base is empty
}

// Lines are the lines [From,To) of a text, from 0.
type Lines struct{ From, To int }

// Texts merges what ours and theirs have changed in base.
func Texts(base, ours, theirs string) Merged {
	lines := slices.Collect(strings.Lines(base))
	a, b := newSide(base, lines, ours), newSide(base, lines, theirs)
	changed := map[string]bool{} // lines
	a.changed(lines, changed)
	b.changed(lines, changed)
	var m Merged
	var parts []part
	done := 0 // lines of base
	for len(a.changes)+len(b.changes) > 0 {
		c := next(a, b)
		parts = append(parts, part{lines[done:c.from], lines[done:c.from]})
		ours, theirs := a.take(c), b.take(c)
		was, p := lines[c.from:c.to], part{a.lines[ours.From:ours.To], b.lines[theirs.From:theirs.To]}
		if !slices.Equal(p.theirs, was) && !slices.Equal(p.theirs, p.lines) {
			if !slices.Equal(p.lines, was) {
				m.Conflicts = append(m.Conflicts, Conflict{Base: Lines{c.from, c.to}, Ours: ours, Theirs: theirs})
			}
			p.lines = p.theirs
		}
		parts, done = append(parts, p), c.to
	}
	parts = append(parts, part{lines[done:], lines[done:]})
	m.Text = join(parts, nil)
	inOurs, inTheirs, inText := places(changed, a.lines), places(changed, b.lines), places(changed, slices.Collect(strings.Lines(m.Text)))
	moved := map[string]bool{}
	for _, l := range slices.Sorted(maps.Keys(inOurs)) {
		if i, j := inOurs[l], inTheirs[l]; len(i) == 1 && len(j) == 1 && len(inText[l]) != 1 {
			m.Conflicts = append(m.Conflicts, Conflict{Ours: Lines{i[0], i[0] + 1}, Theirs: Lines{j[0], j[0] + 1}, Moved: true})
			moved[l] = true
		}
	}
	if len(moved) > 0 {
		m.Text = join(parts, moved)
	}
	return m
}

// Agreed returns theirs as it would be if it had not changed the lines of base at which the two are in conflict; base if
// it cannot be told, since lines were moved. So it is if theirs has moved a line to such a place or from there: half of the
// move would have the line twice, or lose it.
func (m Merged) Agreed(base, theirs string) string {
	was, now := slices.Collect(strings.Lines(base)), slices.Collect(strings.Lines(theirs))
	var agreed []string
	at := 0 // lines of theirs
	changed := map[string]bool{}
	for _, c := range m.Conflicts {
		if c.Moved {
			return base
		}
		agreed = slices.Concat(agreed, now[at:c.Theirs.From], was[c.Base.From:c.Base.To])
		at = c.Theirs.To
		mark(changed, was[c.Base.From:c.Base.To], now[c.Theirs.From:c.Theirs.To])
	}
	agreed = append(agreed, now[at:]...)
	inBase, inTheirs, inAgreed := places(changed, was), places(changed, now), places(changed, agreed)
	for l := range changed {
		if n, a, b := len(inAgreed[l]), len(inBase[l]), len(inTheirs[l]); n < min(a, b) || n > max(a, b) {
			return base
		}
	}
	return strings.Join(agreed, "")
}

// part is a part of the merged text: its lines, and those that theirs has there.
type part struct{ lines, theirs []string }

// join returns the lines of the parts, with the moved ones in the parts where theirs has them.
func join(parts []part, moved map[string]bool) string {
	var b strings.Builder
	for _, p := range parts {
		here, there := places(moved, p.lines), places(moved, p.theirs)
		for _, l := range p.theirs {
			if s := strings.TrimSpace(l); moved[s] && here[s] == nil {
				b.WriteString(strings.TrimSuffix(l, "\n") + "\n") // it may be the last line of theirs
			}
		}
		for _, l := range p.lines {
			if s := strings.TrimSpace(l); !moved[s] || there[s] != nil {
				b.WriteString(l)
			}
		}
	}
	return b.String()
}

// places returns where the lines are that were changed.
func places(changed map[string]bool, lines []string) map[string][]int {
	all := map[string][]int{}
	for i, l := range lines {
		if l = strings.TrimSpace(l); changed[l] {
			all[l] = append(all[l], i)
		}
	}
	return all
}

// change replaces the lines [from,to) of the base, from 0; from and to are equal if it only inserts
// lines. It makes the text grow lines longer.
type change struct{ from, to, grow int }

// side is one of the two changed versions of the base.
type side struct {
	lines   []string
	changes []change // those that take has not passed yet, in order
	shift   int      // how many lines the changes before them have added
}

// newSide returns the side now, with the changes that make base into it.
func newSide(base string, lines []string, now string) *side {
	s := &side{lines: slices.Collect(strings.Lines(now))}
	i, j := 0, 0 // lines of base and now that come next
	for k, to := range append(diff.SameLines(base, now), int32(len(s.lines))) {
		at := int(to)
		if k < len(lines) && at < 0 {
			continue
		}
		if k > i || at > j {
			s.changes = append(s.changes, change{i, k, at - j - (k - i)})
		}
		i, j = k+1, at+1
	}
	return s
}

// changed marks the lines that the side has taken out or put in.
func (s *side) changed(base []string, all map[string]bool) {
	shift := 0
	for _, c := range s.changes {
		mark(all, base[c.from:c.to], s.lines[c.from+shift:c.to+shift+c.grow])
		shift += c.grow
	}
}

// mark adds lines to all, without the blanks around them. Lines without a letter, such as braces, are left out: they are put
// in at two places without being moved.
func mark(all map[string]bool, lines ...[]string) {
	for _, l := range slices.Concat(lines...) {
		if strings.ContainsFunc(l, unicode.IsLetter) {
			all[strings.TrimSpace(l)] = true
		}
	}
}

// next returns the lines of the base that the first change of the two sides replaces, together with
// all changes that meet it.
func next(a, b *side) change {
	first := a
	if len(a.changes) == 0 || len(b.changes) > 0 && b.changes[0].from < a.changes[0].from {
		first = b
	}
	c := first.changes[0]
	for i, j := 0, 0; ; {
		switch {
		case i < len(a.changes) && c.meets(a.changes[i]):
			c, i = c.with(a.changes[i]), i+1
		case j < len(b.changes) && c.meets(b.changes[j]):
			c, j = c.with(b.changes[j]), j+1
		default:
			return c
		}
	}
}

// with returns a change of all lines that c and d change. d must not begin before c.
func (c change) with(d change) change {
	return change{c.from, max(c.to, d.to), max(c.grow, d.grow)}
}

// meets reports whether d, which does not begin before c, replaces a line that c replaces, or one of
// them inserts lines next to the other, or both add lines where they meet.
func (c change) meets(d change) bool {
	if c.from == c.to || d.from == d.to || c.grow > 0 && d.grow > 0 {
		return d.from <= c.to
	}
	return d.from < c.to
}

// take returns what the side has of the lines of c, and advances past its changes of them. All changes
// that meet c must be inside of it.
func (s *side) take(c change) Lines {
	from := c.from + s.shift
	for len(s.changes) > 0 && s.changes[0].to <= c.to {
		s.shift += s.changes[0].grow
		s.changes = s.changes[1:]
	}
	return Lines{from, c.to + s.shift}
}
