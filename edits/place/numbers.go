package place

import (
	"cmp"
	"slices"
	"sort"

	"github.com/patchls/patchls/edits/draft"
)

// chooseByNumber chooses among the places of numbered hunks. Their numbers are about one text, so one is off by what the
// hunks above and below it are off by, whose places are known, or by something in between; at the top of the text by
// nothing. It chooses the place nearest to that, at most [draft.MaxDrift] lines away, if all others are more than twice as
// far. By how much hunks are off that no other tells must be the same for all.
func (s *search) chooseByNumber(chosen map[*hunk]int) {
	known := []*hunk{{}} // by their numbers; the first stands for the top of the text
	for h, at := range chosen {
		if h.offset = at - h.hint(); h.Numbered && len(h.old) > 0 {
			known = append(known, h)
		}
	}
	for _, h := range s.all {
		if h.state == Placed && h.Numbered && len(h.old) > 0 && h.number != s.hunks[0].number { // in an earlier search
			known = append(known, h)
		}
	}
	slices.SortFunc(known[1:], func(a, b *hunk) int { return cmp.Or(a.Start-b.Start, a.number-b.number) })
	near, offsets := map[*hunk]int{}, map[int]bool{}
	for _, h := range s.hunks {
		if !h.Numbered || len(h.places) == 0 || h.truncated || h.reason != nil || s.over() {
			continue
		}
		below := 1 + sort.Search(len(known)-1, func(i int) bool { return known[i+1].Start >= h.Start })
		low, high := known[below-1].offset, known[below-1].offset
		if below < len(known) && known[below] == h {
			below++
		}
		if below < len(known) {
			low, high = min(low, known[below].offset), max(high, known[below].offset)
		}
		best, least, next, atNumber := 0, 1<<30, 1<<30, false
		for _, at := range h.places {
			off := int(at) - h.hint()
			atNumber = atNumber || off == 0
			if d := max(low-off, off-high, 0); d < least {
				best, least, next = off, d, least
			} else {
				next = min(next, d)
			}
		}
		h.told = least == 0
		_, is := chosen[h]
		last := s.src.Text.Lines() - len(h.old) // where a hunk without context below it belongs, if it stands there
		if at := h.hint() + best; !is && least <= draft.MaxDrift && 2*least < next && (h.told || best == 0 || !atNumber) && (at == last || !h.mustEnd() || !s.src.LinesAre(last, h.old, h.fold)) {
			near[h], offsets[best] = at, true
		}
	}
	for h, at := range near {
		if h.told && len(known) > 1 || len(offsets) == 1 {
			h.say(byNumber)
			chosen[h] = at
		}
	}
}
