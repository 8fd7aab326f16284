package place

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/anchor"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// exact places the pending hunks that are there byte for byte. It reports whether
// any was.
func (p *placer) exact(pending []*hunk) bool {
	var rest []*hunk
	stated := map[*hunk]int{}
	for _, h := range pending {
		if p.over() {
			return false
		}
		h.tier = edits.Exact
		p.cutBOM(h)
		if at, ok := p.stated(h); ok && !p.made.isLater(h, at, len(h.old)) {
			stated[h] = at
		} else {
			rest = append(rest, h)
		}
	}
	if !p.seek(pending, match.Fold{}) && !p.seek(rest, match.Fold{}) {
		p.failed = p.everywhere()
	}
	for h, at := range stated {
		if len(h.places) > 1 {
			h.say(byNumber)
		}
		h.places, h.truncated = []int32{int32(at)}, false
	}
	return p.settle(pending)
}

// byNumber is said of a hunk whose number chose among its places.
const byNumber = "has several places; its line number chose"

// cutBOM takes a byte order mark off a hunk. A text's own is in no line.
func (t *target) cutBOM(h *hunk) {
	if h.hasBOM() && t.src.Text.Lines() > 0 && !strings.HasPrefix(t.src.LineAt(0), text.BOM) {
		h.cutBOM()
	}
}

// withoutBlanks tries hunks that are nowhere without the empty lines at their
// end, which may be the patch's layout.
func (p *placer) withoutBlanks(pending []*hunk) bool {
	var cut []*hunk
	for _, h := range pending {
		if h.Blanks > 0 && h.Blanks < len(h.Lines) && len(h.places) == 0 {
			h.cutBlanks()
			h.note = "ends in blank lines that the text does not have; they were left out"
			cut = append(cut, h)
		}
	}
	return len(cut) > 0 // the next round seeks them
}

// stated returns the line, from 0, at which the hunk says that it stands, if it
// does exactly.
func (t *target) stated(h *hunk) (int, bool) {
	at := h.hint()
	if !h.Numbered || len(h.Anchors) > 0 || h.AtEnd || len(h.old) == 0 || at < 0 || !t.src.LinesAre(at, h.old) {
		return 0, false
	}
	return at, !h.mustEnd() || at+len(h.old) == t.src.Text.Lines()
}

// mustEnd reports whether a hunk without context below it is one of a tool, which
// has none only at the end of a text.
func (h *hunk) mustEnd() bool { return h.OldOpen || h.Numbered && h.tail == 0 && h.head > 0 }

// hint returns the line, from 0, at which the hunk says that it stands, moved by
// what the hunks above it have done.
func (h *hunk) hint() int { return h.Start - 1 + h.shift }

// seek sets the places of hunks under a fold. It reports false if these are too many.
func (p *placer) seek(hunks []*hunk, f match.Fold) bool {
	if len(hunks) == 0 {
		return true
	}
	lists := make([][]string, len(hunks))
	for i, h := range hunks {
		lists[i] = h.old
	}
	all := p.src.FindLines(lists, f)
	for i, places := range all {
		hunks[i].places, hunks[i].truncated = places, len(places) == match.MaxPlaces
	}
	return all != nil
}

// loose places pending hunks that are there under one of the folds, the first
// one at which each is anywhere.
func (p *placer) loose(pending []*hunk) bool {
	worth := match.Worthwhile(p.src.Text, func(yield func(string) bool) {
		for _, h := range pending {
			for _, l := range h.old {
				if !yield(l) {
					return
				}
			}
		}
	})
	above := p.anchors(pending)
	for _, step := range match.Tiers[1:] {
		if p.over() {
			return false
		}
		if !worth.Has(step.Fold) {
			continue
		}
		var seek []*hunk
		for _, h := range pending {
			if len(h.places) == 0 && !match.AllBlank(h.old) {
				seek = append(seek, h)
			}
		}
		if len(seek) == 0 {
			break
		}
		if !p.seek(seek, step.Fold) {
			p.failed = p.everywhere()
		}
		for _, h := range seek {
			if len(h.places) == 0 || p.over() {
				continue
			}
			h.tier, h.fold = step.Tier, step.Fold
			if scopes := above.Scopes(h.Anchors); len(h.Anchors) > 0 && len(scopes) > 0 {
				p.keepInside(h, scopes) // a tier below may have a place in there
			}
		}
	}
	return p.settle(pending)
}

// settle chooses among the places of hunks and makes the changes of those whose
// place is told. It reports whether there was any.
func (p *placer) settle(pending []*hunk) bool {
	scopes := p.anchors(pending)
	for _, h := range pending {
		if p.over() {
			return false
		}
		p.narrow(h, scopes)
	}
	chosen := make(map[*hunk]int, len(pending))
	added := additions{}
	for _, h := range pending {
		if p.over() {
			return false
		}
		if at, ok := p.choose(h); ok && !added.again(h, at) {
			chosen[h] = at
		}
	}
	p.chooseInOrder(chosen)
	return p.make(pending, chosen)
}

// anchors finds the anchors of hunks.
func (p *placer) anchors(hunks []*hunk) anchor.Anchors {
	names := make([][]string, len(hunks))
	for i, h := range hunks {
		names[i] = h.Anchors
	}
	return anchor.Find(p.src, names)
}

// narrow leaves those places of a hunk that its anchors and the end of the text
// allow; where they allow none they are passed over, with a note.
func (p *placer) narrow(h *hunk, a anchor.Anchors) {
	p.narrowToEarlier(h)
	if len(h.Anchors) > 0 {
		p.narrowByAnchors(h, a.Scopes(h.Anchors))
	}
	switch {
	case len(h.old) > 0:
	case h.Whole && p.src.Text.Lines() > 0:
		h.reason = func() *edits.Error {
			return &edits.Error{Kind: edits.ContextNotFound, Hunk: h.number, Message: fmt.Sprintf(
				"%s has an empty SEARCH, which has a place in an empty file alone, and %s is not empty: quote the lines around the place.", h.name(), p.src.Path)}
		}
	case h.AtEnd || len(h.Anchors) == 0 && !h.Numbered:
		h.places = []int32{int32(p.src.Text.Lines())}
		if p.src.Text.Lines() > 0 && !h.AtEnd {
			h.note = "has neither context nor an anchor, so its lines were added at the end"
		}
	case len(h.Anchors) == 0 && h.Start <= p.src.Text.Lines():
		h.places = []int32{int32(max(0, h.hint()+1))}
	}
	if h.AtEnd || h.OldOpen {
		p.narrowToEnd(h)
	}
}

// narrowToEnd leaves the place at the end of the text for a hunk that says that it
// is there, by whatever tier; if it is not, the others stay.
func (p *placer) narrowToEnd(h *hunk) {
	n := p.src.Text.Lines() - len(h.old)
	if len(h.old) == 0 || n < 0 {
		return
	}
	if slices.Contains(h.places, int32(n)) {
		h.places, h.truncated = []int32{int32(n)}, false
		return
	}
	for _, step := range match.Tiers[1:] {
		if !p.how.Exact && h.reason == nil && p.reads(n, h.old, step.Fold) {
			h.places, h.truncated, h.tier, h.fold = []int32{int32(n)}, false, step.Tier, step.Fold
			return
		}
	}
	if len(h.places) == 1 && h.AtEnd {
		h.note = "says that it is at the end of the file, which it is not"
	}
}

// reads reports whether the lines from line at on read as lines under a fold.
func (t *target) reads(at int, lines []string, f match.Fold) bool {
	for i, l := range lines {
		if f.Line(l) != f.Line(t.src.LineAt(at+i)) {
			return false
		}
	}
	return true
}

// narrowByAnchors leaves the places in the scopes that a hunk's anchors lead to.
func (p *placer) narrowByAnchors(h *hunk, scopes []anchor.Scope) {
	quoted := "its anchor " + quoteAll(h.Anchors)
	if len(h.old) == 0 {
		h.places = nil
		for _, s := range scopes {
			h.places = append(h.places, int32(s.From+1))
		}
		if len(scopes) == 0 {
			h.reason = func() *edits.Error { return failure{p, h}.noAnchor() }
		}
		return
	}
	if len(scopes) == 0 {
		if len(h.places) == 1 {
			h.note = "was placed without " + quoted + ", which is not in the file"
		} else {
			h.reason, h.places = func() *edits.Error { return failure{p, h}.noAnchor() }, nil
		}
		return
	}
	if len(h.places) == 0 {
		return
	}
	p.keepInside(h, scopes)
}

// keepInside leaves the places of a hunk that are in one of the scopes; if there are none,
// those that begin in one and go on below it.
func (p *placer) keepInside(h *hunk, scopes []anchor.Scope) {
	for _, allows := range []func(s anchor.Scope, at int) bool{
		func(s anchor.Scope, at int) bool { return s.Holds(h.coreAt(at), at+len(h.old)) },
		func(s anchor.Scope, at int) bool { return at > s.From && at < s.To },
	} {
		inside := p.placesThat(h, func(at int32) bool {
			return slices.ContainsFunc(scopes, func(s anchor.Scope) bool { return allows(s, int(at)) })
		})
		if len(inside) > 0 {
			h.places, h.outside = inside, nil
			return
		}
	}
	h.outside, h.places = h.places, nil
}

// placesThat returns the places of a hunk that may be kept. Equal hunks have theirs in the
// same memory, and these in their own.
func (p *placer) placesThat(h *hunk, may func(at int32) bool) []int32 {
	if p.own += len(h.places); p.own > maxOwnPlaces {
		p.failed = p.everywhere()
		return nil
	}
	var kept []int32
	for _, at := range h.places {
		if p.over() {
			return nil
		}
		if may(at) {
			kept = append(kept, at)
		}
	}
	return kept
}

// choose returns the place of a hunk that needs no others to tell it.
func (p *placer) choose(h *hunk) (int, bool) {
	switch {
	case len(h.places) == 0 || h.truncated:
		return 0, false
	case len(h.places) == 1 && p.isMadeAtNumber(h):
		h.reason = func() *edits.Error { return failure{p, h}.mayBeApplied() }
		return 0, false
	case len(h.places) == 1 && h.quoted && draft.IsFar(int(h.places[0]), h.hint()):
		h.reason = func() *edits.Error { return failure{p, h}.farFromQuoted() }
		return 0, false
	case len(h.places) == 1:
		return int(h.places[0]), true
	case !h.Numbered:
		return 0, false
	}
	lines := make([]int, len(h.places))
	for i, at := range h.places {
		lines[i] = int(at)
	}
	best, ok := draft.NearestLine(lines, h.hint())
	last := lines[len(lines)-1]
	if h.mustEnd() && last+len(h.old) == p.src.Text.Lines() && (!ok || last != lines[best]) {
		return 0, false // the number says one thing, the missing context another
	}
	if !ok {
		return 0, false
	}
	h.say(byNumber)
	return lines[best], true
}

func quoteAll(anchors []string) string {
	quoted := make([]string, len(anchors))
	for i, a := range anchors {
		quoted[i] = "“" + strings.TrimSpace(a) + "”"
	}
	return strings.Join(slices.Compact(quoted), " > ")
}
