package place

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/internal/lists"
)

// carry has a hunk know where the lines are now that its number names, and whether these, and so many beside them, are
// unchanged: then no other place was nearer to the number in the text that was shown.
func (t *target) carry(h *hunk, beside int) {
	if !t.how.Shown || !h.Numbered || h.Start == 0 || beside > 0 && len(h.old) == 0 {
		return
	}
	now, lost := t.src.Carried(h.Start-beside, h.Start+max(0, len(h.old)-1)+beside)
	h.lost = h.lost || lost
	if drift := now + beside - h.Start; !lost && drift != h.drift {
		h.drift = drift
		h.say(fmt.Sprintf("was sent for line %d, which is line %d now", h.Start, h.Start+drift))
	}
}

// isStale reports whether the number of a hunk is lost, and chose among several places.
func (s *search) isStale(h *hunk) bool {
	if !h.lost || len(h.Anchors) > 0 || h.AtEnd || h.OldOpen {
		return false
	}
	if s.twice == nil {
		s.twice = s.src.Twice(lists.Map(s.all, func(o *hunk) []string { return o.old }))
	}
	return len(h.old) == 0 || s.twice[h.number-1]
}

// changedAtNumber returns the error of a hunk whose number does not choose a place.
func (h *hunk) changedAtNumber() *edits.Error {
	e := h.in.src.Stale(h.Start)
	e.Hunk, e.Message = h.number, h.name()+": "+e.Message
	return e
}

// chooseByNumber chooses among the places of numbered hunks: one that is off as the known hunks around it are, or if there
// are none, as all others are.
func (s *search) chooseByNumber(chosen map[*hunk]int) {
	known := s.known(chosen)
	near, offsets := map[*hunk]int{}, map[int]bool{}
	for _, h := range s.hunks {
		if !h.Numbered || h.lost || len(h.places) == 0 || h.reason != nil || s.over() {
			continue
		}
		h.expect(known)
		if _, is := chosen[h]; is {
			continue
		}
		if at, ok := s.nearest(h); ok {
			near[h], offsets[at-h.hint()] = at, true
		}
	}
	for h, at := range near {
		if h.isExpected(at) && len(known) > 1 || len(offsets) == 1 {
			if s.carry(h, max(at-h.hint(), h.hint()-at)); h.lost {
				continue
			}
			h.say(byNumber)
			chosen[h] = at
		}
	}
}

// known returns the numbered hunks whose places are known, by their numbers. The first of all stands for the top of the text.
func (s *search) known(chosen map[*hunk]int) []*hunk {
	known := []*hunk{{}}
	for h, at := range chosen {
		if h.offset = at - h.hint(); h.Numbered && !h.lost && len(h.old) > 0 {
			known = append(known, h)
		}
	}
	for _, h := range s.all {
		if h.state == Placed && h.Numbered && len(h.old) > 0 && h.number != s.hunks[0].number { // in an earlier search
			known = append(known, h)
		}
	}
	slices.SortFunc(known[1:], func(a, b *hunk) int { return cmp.Or(a.Start-b.Start, a.number-b.number) })
	return known
}

// expect sets by how much the number of a hunk may be off. All numbers are about one text, so it is what the known hunks
// above and below it are off by, or something in between.
func (h *hunk) expect(known []*hunk) {
	below := 1 + sort.Search(len(known)-1, func(i int) bool { return known[i+1].Start >= h.Start })
	h.low, h.high = known[below-1].offset, known[below-1].offset
	if below < len(known) && known[below] == h {
		below++
	}
	if below < len(known) {
		h.low, h.high = min(h.low, known[below].offset), max(h.high, known[below].offset)
	}
}

// isExpected reports whether the number of a hunk is off as expected if the hunk stands at line at.
func (h *hunk) isExpected(at int) bool { return h.low <= at-h.hint() && at-h.hint() <= h.high }

// nearest returns the place of a hunk that is nearest to what is expected, at most [draft.MaxDrift] lines away, if all others
// are more than twice as far from what the hunks above and below are off by. The place that the number names need only be
// the nearest if it is expected, and no other is taken beside it if it is not.
func (s *search) nearest(h *hunk) (at int, ok bool) {
	_, exact := slices.BinarySearch(h.places, int32(h.hint()))
	if h.truncated { // only the first places are known
		exact = exact || len(h.Anchors) == 0 && s.src.LinesAre(h.hint(), h.old, h.fold)
		return h.hint(), exact && h.isExpected(h.hint()) && s.mayEndAt(h, h.hint())
	}
	k := sort.Search(len(h.places), func(i int) bool { return int(h.places[i])-h.hint() >= h.low })
	least, next := 1<<30, 1<<30
	for _, place := range h.places[max(0, k-2):min(k+2, len(h.places))] {
		off := int(place) - h.hint()
		if far := max(h.low-off, off-h.low) + max(h.high-off, off-h.high); far < least {
			at, least, next = int(place), far, least
		} else {
			next = min(next, far)
		}
	}
	off, expected := at-h.hint(), h.isExpected(at)
	plain := 2*least < next || off == 0 && expected && least < next
	return at, plain && (expected || off == 0 || !exact) && max(h.low-off, off-h.high) <= draft.MaxDrift && s.mayEndAt(h, at)
}

// mayEndAt reports whether a hunk that stands at line at may not be meant for the end of the text, or stands there.
func (s *search) mayEndAt(h *hunk, at int) bool {
	last := s.src.Text.Lines() - len(h.old)
	return at == last || !h.mustEnd() || !s.src.LinesAre(last, h.old, h.fold)
}
