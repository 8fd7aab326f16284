package place

import (
	"fmt"
	"slices"
)

// ordered is a hunk with the places that it may have between two others.
type ordered struct {
	h      *hunk
	places []int
}

// chooseInOrder tells the places of hunks by those of their neighbours: between
// two hunks that are told, where these stand in the order of the patch, the ones
// between them must fit. What is told by that has the same place whether all go
// as far up as they can, or as far down.
func (p *placer) chooseInOrder(chosen map[*hunk]int) {
	var open []*hunk // since the last hunk that is told
	g := gap{top: -1}
	between := func(to, bottom int) {
		if g.to, g.bottom = to, bottom; len(open) > 0 && g.from <= g.to {
			p.fit(open, g, chosen)
		}
		open = open[:0]
	}
	for _, h := range p.hunks {
		at, known := chosen[h]
		switch {
		case h.state == hunkPlaced:
			between(h.core[0], h.core[1])
			g = gap{from: h.core[1], top: h.core[0]}
		case known:
			core := h.coreAt(at)
			between(core[0], -1)
			g = gap{from: core[1], top: -1}
		case h.state == hunkPending && len(h.places) > 1 && !h.truncated && h.reason == nil:
			open = append(open, h)
		}
	}
	between(p.src.Text.Lines(), -1)
}

// gap is the lines [from,to) between two hunks. What the one above has made begins
// at top, and what the one below has made ends at bottom; -1 if they have made
// nothing yet.
type gap struct{ from, to, top, bottom int }

// touches reports whether a hunk that changes core only adds lines, at the far end of
// what one of the two hunks has made: then it could have been on either side of that.
func (g gap) touches(core [2]int) bool {
	return core[0] == core[1] && (core[0] == g.top || core[1] == g.bottom)
}

// fit places hunks in a gap, if that leaves no choice.
func (p *placer) fit(hunks []*hunk, g gap, chosen map[*hunk]int) {
	var row []ordered
	for _, h := range hunks {
		o := ordered{h: h}
		if p.own += len(h.places); p.own > maxOwnPlaces {
			p.failed = p.everywhere()
		}
		if p.failed != nil || p.over() {
			return
		}
		for _, at := range h.places {
			core := h.coreAt(int(at))
			if g.touches(core) {
				return
			}
			if core[0] >= g.from && core[1] <= g.to {
				o.places = append(o.places, int(at))
			}
		}
		if len(o.places) > 0 {
			row = append(row, o)
		}
	}
	first, last := make([]int, len(row)), make([]int, len(row))
	for i, at := 0, g.from; i < len(row); i++ {
		k := row[i].first(at, func(place int) bool { return i == 0 || !row[i].h.same(row[i-1].h) || place > first[i-1] })
		if k < 0 {
			return
		}
		first[i] = row[i].places[k]
		at = row[i].h.coreAt(first[i])[1]
	}
	for i, at := len(row)-1, g.to; i >= 0; i-- {
		k := row[i].last(at, func(place int) bool { return i+1 == len(row) || !row[i].h.same(row[i+1].h) || place < last[i+1] })
		if k < 0 {
			return
		}
		last[i] = row[i].places[k]
		at = row[i].h.coreAt(last[i])[0]
	}
	repeats := len(row) > 1
	for i, o := range row {
		// One between them, whose place is not told yet, would tell where they are.
		repeats = repeats && o.h.same(row[0].h) && o.h.number == row[0].h.number+i
		// A number that is nearer to another place speaks against it.
		if first[i] == last[i] && !(o.h.Numbered && len(o.h.places) > 1) {
			chosen[o.h] = first[i]
			if len(o.h.places) > 1 {
				o.h.say("has several places; the hunks before and after it chose")
			}
		}
	}
	if repeats && first[0] != last[0] && !row[0].h.Numbered {
		for i, o := range row {
			chosen[o.h] = first[i]
			o.h.say(fmt.Sprintf("comes %d times and has %d places; they were taken from the top", len(row), len(o.places)))
		}
	}
}

// first returns the first place at which the hunk changes nothing above line
// from.
func (o ordered) first(from int, ok func(place int) bool) int {
	for k, at := range o.places {
		if o.h.coreAt(at)[0] >= from && ok(at) {
			return k
		}
	}
	return -1
}

// last returns the last place at which the hunk changes nothing below line to.
func (o ordered) last(to int, ok func(place int) bool) int {
	for k, at := range slices.Backward(o.places) {
		if o.h.coreAt(at)[1] <= to && ok(at) {
			return k
		}
	}
	return -1
}
