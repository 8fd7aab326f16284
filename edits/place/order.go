package place

import (
	"slices"
	"sort"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/internal/lists"
)

// chooseInOrder chooses places by the order of the patch: the hunks between two hunks whose
// places are known must fit between those places, and change no line that a known one changes.
func (s *search) chooseInOrder(chosen map[*hunk]int) {
	var taken []owned
	if len(chosen) < len(s.hunks) {
		taken = s.takenBy(chosen)
	}
	var open []*hunk // since the last hunk whose place is known
	from := 0
	between := func(to int) {
		if len(open) > 0 && from <= to {
			s.chooseBetween(open, from, to, chosen)
		}
		open = open[:0]
	}
	for _, h := range s.hunks {
		if h.isAnchor() {
			continue // what it names may begin above an earlier hunk
		}
		if at, known := chosen[h]; known {
			core := h.coreAt(at)
			between(core[0])
			from = core[1]
		} else if len(h.places) > 1 && !h.truncated && h.reason == nil {
			h.free = s.placesBeside(h, taken)
			open = append(open, h)
		}
	}
	between(s.src.Text.Lines())
}

// takenBy returns the lines that hunks with known places change, from top to bottom; nil if two of
// them meet, since one of the two may then have another place.
func (s *search) takenBy(chosen map[*hunk]int) (taken []owned) {
	for _, h := range s.hunks {
		at, known := chosen[h]
		if !known || s.over() {
			continue
		}
		if _, made := s.madeAround(h, at); made {
			continue
		}
		taken = append(taken, lists.Map(h.spans(), func(span [2]int) owned { return owned{draft.LineChange{From: at + span[0], To: at + span[1]}, h} })...)
	}
	slices.SortStableFunc(taken, owned.compare)
	for i := range taken {
		if i > 0 && taken[i].From < taken[i-1].To {
			return nil
		}
	}
	return taken
}

// placesBeside returns the places of a hunk at which it changes no line that a later hunk changes:
// it is not meant for what that hunk leaves.
func (s *search) placesBeside(h *hunk, taken []owned) []int32 {
	spans := h.spans()
	meets := func(at int32) bool {
		return slices.ContainsFunc(spans, func(span [2]int) bool {
			from, to := span[0]+int(at), span[1]+int(at)
			first := sort.Search(len(taken), func(i int) bool { return taken[i].To > from })
			end := first + sort.Search(len(taken)-first, func(i int) bool { return taken[first+i].From >= to })
			return slices.ContainsFunc(taken[first:end], func(t owned) bool { return t.by.number > h.number })
		})
	}
	if len(taken) == 0 || !slices.ContainsFunc(h.places, meets) {
		return h.places
	}
	return s.placesThat(h, func(at int32) bool { return !meets(at) })
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
	row := slices.DeleteFunc(slices.Clone(hunks), func(h *hunk) bool { return len(h.placesIn(h.free, from, to)) == 0 })
	first, last, top := make([]int, len(row)), make([]int, len(row)), from
	for i, h := range row {
		if i > 0 && h.same(row[i-1]) {
			top = max(top, h.coreAt(first[i-1])[0]+1) // two hunks that only add the same lines add them at two places
		}
		places := h.placesIn(h.free, top, to)
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
		places := h.placesIn(h.free, from, end) // first[i] is one of them
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
