package place

import (
	"cmp"
	"slices"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/patch"
)

// madeLines are lines [from,to) of a text that the hunk numbered by has put there; if
// there are none, it has taken some out above line from.
type madeLines struct{ from, to, by int }

// moveMade brings what hunks have put into the text up to date with changes, which
// are in order and were made.
func (p *placer) moveMade(changes []draft.LineChange) {
	grown := growth(changes)
	out := make([]madeLines, 0, len(p.made)+len(changes))
	for _, m := range p.made {
		if m.from == m.to {
			if at, ok := movedSeam(m.from, changes, grown); ok {
				out = append(out, madeLines{at, at, m.by})
			}
			continue
		}
		at := m.from
		i, _ := slices.BinarySearchFunc(changes, at, func(c draft.LineChange, line int) int { return cmp.Compare(c.To, line) })
		for ; i < len(changes) && changes[i].From < m.to; i++ {
			if c := changes[i]; c.To > at || c.From > at { // what is left above it
				if c.From > at {
					out = append(out, madeLines{at + grown[i], c.From + grown[i], m.by})
				}
				at = c.To
			}
		}
		if at < m.to {
			out = append(out, madeLines{at + grown[i], m.to + grown[i], m.by})
		}
	}
	for i, c := range changes {
		if len(c.Lines) > 0 || c.From < c.To {
			out = append(out, madeLines{c.From + grown[i], c.From + grown[i] + len(c.Lines), c.By})
		}
	}
	slices.SortFunc(out, func(a, b madeLines) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	p.made = out
}

// movedSeam returns where a line, above which some were taken out, is after changes;
// it is not ok if they take out what is on both sides.
func movedSeam(line int, changes []draft.LineChange, grown []int) (at int, ok bool) {
	i, _ := slices.BinarySearchFunc(changes, line, func(c draft.LineChange, line int) int { return cmp.Compare(c.From, line) })
	if i > 0 && changes[i-1].To > line {
		return 0, false
	}
	for i < len(changes) && changes[i].To == line {
		i++ // what is put in there goes above it
	}
	return line + grown[i], true
}

// isLater reports whether one of n lines from line at on was put there by a hunk
// that comes after h, or one between them taken out.
func (p *placer) isLater(h *hunk, at, n int) bool {
	i, _ := slices.BinarySearchFunc(p.made, at, func(m madeLines, line int) int { return cmp.Compare(m.to, line+1) })
	for ; i < len(p.made) && p.made[i].from < at+n; i++ {
		if p.made[i].by > h.number {
			return true
		}
	}
	return false
}

// narrowToEarlier leaves out the places of a hunk at which it would stand on what
// a later one has made. It takes out nothing of that, and has it for its context
// only if it stood nowhere before and stands nowhere else.
func (p *placer) narrowToEarlier(h *hunk) {
	if len(p.made) == 0 || len(h.places) == 0 {
		h.stood = h.stood || len(h.places) > 0
		return
	}
	not := func(is func(at int) bool) []int32 {
		return p.placesThat(h, func(at int32) bool { return !is(int(at)) })
	}
	places := not(func(at int) bool { return p.isLater(h, at, len(h.old)) })
	if len(places) == 0 && !h.stood {
		places = not(func(at int) bool { return p.takesLater(h, at) })
	}
	h.places = places
}

// takesLater reports whether a hunk that stands at line at takes out a line that a
// later one has put there.
func (p *placer) takesLater(h *hunk, at int) bool {
	for _, l := range h.Lines {
		if l.Kind == patch.DeletedLine && p.isLater(h, at, 1) {
			return true
		}
		if l.Kind != patch.AddedLine {
			at++
		}
	}
	return false
}
