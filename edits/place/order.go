package place

import (
	"fmt"
	"slices"
)

// chooseInOrder chooses the places of hunks by those of their neighbours: the hunks between
// two whose places are known must fit, in the order of the patch, between these.
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

// ordered is a hunk with the places that it may have between two others.
type ordered struct {
	h      *hunk
	places []int
}

// chooseBetween chooses the places of hunks that change lines in [from,to): of those that have
// the same place whether all go as far up as they can, or as far down. Equal hunks that follow
// each other have their places from the top.
func (s *search) chooseBetween(hunks []*hunk, from, to int, chosen map[*hunk]int) {
	var row []ordered
	for _, h := range hunks {
		o := ordered{h: h}
		for _, at := range s.placesThat(h, func(at int32) bool { return h.coreAt(int(at))[0] >= from && h.coreAt(int(at))[1] <= to }) {
			o.places = append(o.places, int(at))
		}
		if s.failed != nil || s.over() {
			return
		}
		if len(o.places) > 0 {
			row = append(row, o)
		}
	}
	first, last := make([]int, len(row)), make([]int, len(row))
	for i := range row {
		k := slices.IndexFunc(row[i].places, func(at int) bool {
			return row[i].h.coreAt(at)[0] >= from && (i == 0 || at > first[i-1] || !row[i].h.same(row[i-1].h))
		})
		if k < 0 {
			return
		}
		first[i] = row[i].places[k]
		from = row[i].h.coreAt(first[i])[1]
	}
	for i := range slices.Backward(row) {
		k := len(row[i].places) - 1
		for k >= 0 && (row[i].h.coreAt(row[i].places[k])[1] > to || i+1 < len(row) && row[i].places[k] >= last[i+1] && row[i].h.same(row[i+1].h)) {
			k--
		}
		if k < 0 {
			return
		}
		last[i] = row[i].places[k]
		to = row[i].h.coreAt(last[i])[0]
	}
	repeats := len(row) > 1
	for i, o := range row {
		// One between them, whose place is not known yet, would tell where they are.
		repeats = repeats && o.h.same(row[0].h) && o.h.number == row[0].h.number+i
		// A number that is nearer to another place speaks against it.
		if first[i] == last[i] && !o.h.Numbered {
			chosen[o.h] = first[i]
			o.h.say("has several places; the hunks before and after it chose")
		}
	}
	if repeats && first[0] != last[0] && !row[0].h.Numbered {
		for i, o := range row {
			chosen[o.h] = first[i]
			o.h.say(fmt.Sprintf("comes %d times and has %d places; they were taken from the top", len(row), len(o.places)))
		}
	}
}
