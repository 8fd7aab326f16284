package place

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
)

// first places pending hunks by codex' rule: one after the other, each at its
// first place below the one before it, by the first tier that has one there; and
// at its first place of all if there is none below. It reports whether any was
// placed.
func (p *placer) first(pending []*hunk) bool {
	steps := match.Tiers[:1]
	if !p.how.Exact {
		steps = match.Tiers
	}
	places := make([][][]int32, len(steps))
	for i, step := range steps {
		for _, h := range pending {
			p.cutBOM(h)
		}
		if !p.seek(pending, step.Fold) {
			p.failed = p.everywhere()
		}
		for _, h := range pending {
			places[i] = append(places[i], h.places)
		}
	}
	scopes := p.anchors(pending)
	chosen := map[*hunk]int{}
	added := additions{}
	cursor, k := int32(0), -1
	for _, h := range p.hunks {
		if h.state == hunkPlaced {
			cursor = int32(h.core[1] + h.tail)
		}
		if h.state != hunkPending {
			continue
		}
		if p.over() {
			return false
		}
		k++
		for _, from := range []int32{cursor, 0} {
			for i, step := range steps {
				h.tier, h.fold, h.places = step.Tier, step.Fold, places[i][k]
				h.truncated = len(h.places) == match.MaxPlaces
				if i == 0 {
					h.tier = edits.Exact
				}
				p.narrow(h, scopes)
				if at, ok := p.below(h, from); ok {
					if !added.again(h, at) {
						chosen[h], cursor = at, int32(at+len(h.old))
					}
					break
				}
			}
			if _, ok := chosen[h]; ok {
				break
			}
		}
	}
	return p.make(pending, chosen)
}

// below returns the place of a hunk from line from on: that which its number
// says, else the first.
func (p *placer) below(h *hunk, from int32) (int, bool) {
	if h.reason != nil {
		return 0, false
	}
	if at, ok := p.choose(h); ok && h.Numbered {
		return at, true
	}
	for _, at := range h.places {
		if at < from {
			continue
		}
		if len(h.places) > 1 {
			h.note = "has several places; the first one was taken"
		}
		return int(at), true
	}
	if h.truncated {
		now := *h
		h.reason = func() *edits.Error { return failure{p, &now}.severalPlaces() } // there may be one below those that are known
	}
	return 0, false
}
