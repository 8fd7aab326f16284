package place

import (
	"strings"

	"github.com/patchls/patchls/edits/patch"
)

// madeLines says of the lines of a text which hunk has put them there: the last one in the
// order of the patch. gaps are lines above which a hunk has taken some out.
type madeLines struct{ lines, gaps map[int]int }

// madeBy returns what hunks have made that are placed. What a hunk leaves alone between two
// of its changes counts as well.
func madeBy(hunks []*hunk) madeLines {
	m := madeLines{lines: map[int]int{}, gaps: map[int]int{}}
	for _, h := range hunks {
		if h.state != hunkPlaced {
			continue
		}
		if h.core[0] == h.core[1] {
			m.gaps[h.core[0]] = max(m.gaps[h.core[0]], h.number)
		}
		for line := h.core[0]; line < h.core[1]; line++ {
			m.lines[line] = max(m.lines[line], h.number)
		}
	}
	return m
}

// isLater reports whether one of n lines from line at on was put there by a hunk
// that comes after h, or one between them taken out.
func (m madeLines) isLater(h *hunk, at, n int) bool {
	for line := at; line < at+n; line++ {
		if m.lines[line] > h.number || line > at && m.gaps[line] > h.number {
			return true
		}
	}
	return false
}

// narrowToEarlier leaves out the places of a hunk at which it would stand on what
// a later one has made. It takes out nothing of that, and has it for its context
// only if it stood nowhere before and stands nowhere else.
func (p *placer) narrowToEarlier(h *hunk) {
	if len(p.made.lines)+len(p.made.gaps) == 0 || len(h.places) == 0 {
		h.hadPlaces = h.hadPlaces || len(h.places) > 0
		return
	}
	not := func(is func(at int) bool) []int32 {
		return p.placesThat(h, func(at int32) bool { return !is(int(at)) })
	}
	places := not(func(at int) bool { return p.made.isLater(h, at, len(h.old)) })
	if len(places) == 0 && !h.hadPlaces {
		places = not(func(at int) bool { return p.made.takesLater(h, at) })
	}
	h.places = places
}

// takesLater reports whether a hunk that stands at line at takes out a line that a
// later one has put there.
func (m madeLines) takesLater(h *hunk, at int) bool {
	for _, l := range h.Lines {
		if l.Kind == patch.DeletedLine && m.isLater(h, at, 1) {
			return true
		}
		if l.Kind != patch.AddedLine {
			at++
		}
	}
	return false
}

// addition is lines of a hunk that only adds some, and where they stand.
type addition struct {
	at    int
	lines string
}

// additions are those of hunks that are to be placed together.
type additions map[addition]bool

// again reports whether a hunk at line at, which only adds lines to some that are
// there, is the same as one before it, and remembers it. What changes lines meets its
// like and waits; so does this, or it would be done twice at one place.
func (a additions) again(h *hunk, at int) bool {
	if len(h.old) == 0 || !h.inserts() {
		return false
	}
	var b strings.Builder
	for _, l := range h.Lines {
		b.WriteByte(byte(l.Kind))
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	key := addition{at, b.String()}
	was := a[key]
	a[key] = true
	return was
}
