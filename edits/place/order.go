package place

import (
	"slices"
	"sort"
)

// chooseInOrder chooses places by the order of the patch: the hunks between two hunks whose
// places are known must fit between those places.
func (s *search) chooseInOrder(chosen map[*hunk]int) {
	var open []*hunk // since the last hunk whose place is known
	from := 0
	between := func(to int) {
		if len(open) > 0 && from <= to {
			s.chooseBetween(open, from, to, chosen)
		}
		open = open[:0]
	}
	for _, h := range s.hunks {
		if at, known := chosen[h]; known {
			core := h.coreAt(at)
			between(core[0])
			from = core[1]
		} else if len(h.places) > 1 && !h.truncated && h.reason == nil {
			open = append(open, h)
		}
	}
	between(s.src.Text.Lines())
}

// placesIn returns those of places, which are sorted, at which the hunk changes no line outside of [from,to).
func (h *hunk) placesIn(places []int32, from, to int) []int32 {
	first := sort.Search(len(places), func(i int) bool { return h.coreAt(int(places[i]))[0] >= from })
	end := sort.Search(len(places), func(i int) bool { return h.coreAt(int(places[i]))[1] > to })
	return places[first:max(first, end)]
}

// chooseBetween chooses the places of hunks that change lines in [from,to). A hunk's place is known
// if it is the same whether all hunks go as far up as they can, or as far down.
func (s *search) chooseBetween(hunks []*hunk, from, to int, chosen map[*hunk]int) {
	row := slices.DeleteFunc(slices.Clone(hunks), func(h *hunk) bool { return len(h.placesIn(h.places, from, to)) == 0 })
	first, last, top := make([]int, len(row)), make([]int, len(row)), from
	for i, h := range row {
		if i > 0 && h.same(row[i-1]) {
			top = max(top, h.coreAt(first[i-1])[0]+1) // two hunks that only add the same lines add them at two places
		}
		places := h.placesIn(h.places, top, to)
		if len(places) == 0 {
			return
		}
		first[i] = int(places[0])
		top = h.coreAt(first[i])[1]
	}
	end := to
	for i, h := range slices.Backward(row) {
		if i+1 < len(row) && h.same(row[i+1]) {
			end = min(end, h.coreAt(last[i+1])[1]-1)
		}
		places := h.placesIn(h.places, from, end) // first[i] is one of them
		last[i] = int(places[len(places)-1])
		end = h.coreAt(last[i])[0]
	}
	for i, h := range row {
		// The number of a numbered hunk may be nearer to another place.
		if first[i] == last[i] && !h.Numbered {
			chosen[h] = first[i]
			h.say("has several places; the hunks before and after it chose")
		}
	}
}
