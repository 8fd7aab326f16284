package place

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/anchor"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// search finds the places of some hunks in one text, together.
type search struct {
	target
	hunks   []*hunk
	back    changeset.Changeset // what takes back what the hunks before these have made
	below   int                 // the hunk before these
	anchors anchor.Anchors
	own     int          // places that hunks have by themselves
	failed  *edits.Error // the hunks have too many places
}

// maxOwnPlaces bounds the places that hunks have by themselves; those with equal lines share
// the ones that are found.
const maxOwnPlaces = 1 << 24

// run seeks all hunks, chooses among their places, and computes what those come to whose
// place is known. A hunk that stands nowhere exactly is read in other ways and sought loosely;
// if it stands nowhere so, it may be in place already.
func (s *search) run() {
	names := make([][]string, len(s.hunks))
	for i, h := range s.hunks {
		h.in, names[i] = s, h.Anchors
	}
	s.anchors = anchor.Find(s.src, names)
	s.exactly(s.hunks)
	s.exactly(s.read(s.hunks, withoutBlanks))
	s.exactly(s.read(s.hunks, raw))
	if !s.how.Exact {
		s.loosely(s.hunks)
		inside := slices.DeleteFunc(slices.Clone(s.hunks), func(h *hunk) bool { return len(h.outside) > 0 })
		again := s.read(inside, withoutNumbers, unescaped, withBlankLines, withElided)
		s.exactly(again)
		s.loosely(again)
	}
	for _, h := range s.hunks {
		if s.over() {
			return
		}
		s.narrow(h)
	}
	chosen := s.choose()
	for _, h := range s.hunks {
		if s.over() {
			return
		}
		if at, ok := chosen[h]; ok && h.reason == nil {
			s.resolve(h, at)
		}
	}
	s.inPlace()
}

// over reports whether no more may be done. What was found until then is no plan.
func (t *target) over() bool { return t.src.Work.Over() }

// exactly seeks hunks byte for byte. One that is at the line of its number has no other place.
func (s *search) exactly(hunks []*hunk) {
	stated := map[*hunk]int{}
	var rest []*hunk
	for _, h := range hunks {
		if s.over() {
			return
		}
		s.cutBOM(h)
		h.tier = edits.Exact
		if at, ok := s.stated(h); ok {
			stated[h] = at
		} else {
			rest = append(rest, h)
		}
	}
	if !s.seek(hunks, exactStep) && !s.seek(rest, exactStep) {
		s.failed = s.everywhere()
	}
	for h, at := range stated {
		if len(h.places) > 1 {
			h.say(byNumber)
		}
		h.places, h.truncated = []int32{int32(at)}, false
	}
}

// exactStep is the tier at which lines stand byte for byte.
var exactStep = match.Step{Tier: edits.Exact}

// byNumber is said of a hunk whose number chose among its places.
const byNumber = "has several places; its line number chose"

// cutBOM takes a byte order mark off a hunk. A text's own is in no line.
func (t *target) cutBOM(h *hunk) {
	has := func(lines []string) bool { return len(lines) > 0 && strings.HasPrefix(lines[0], text.BOM) }
	if !has(h.old) && !has(h.put) || t.src.Text.Lines() == 0 || strings.HasPrefix(t.src.LineAt(0), text.BOM) {
		return
	}
	h.Lines = slices.Clone(h.Lines)
	for i := range h.Lines {
		h.Lines[i].Text = strings.TrimPrefix(h.Lines[i].Text, text.BOM)
	}
	h.measure()
}

// stated returns the line, from 0, at which the hunk says that it stands, if it does exactly.
func (t *target) stated(h *hunk) (int, bool) {
	at := h.hint()
	if !h.Numbered || len(h.Anchors) > 0 || h.AtEnd || len(h.old) == 0 || at < 0 || !t.src.LinesAre(at, h.old, match.Fold{}) {
		return 0, false
	}
	return at, !h.mustEnd() || at+len(h.old) == t.src.Text.Lines()
}

// mustEnd reports whether a hunk without context below it is one of a tool, which
// has none only at the end of a text.
func (h *hunk) mustEnd() bool { return h.OldOpen || h.Numbered && h.tail == 0 && h.head > 0 }

// hint returns the line, from 0, that a hunk says it stands at, moved by the hunks above it.
func (h *hunk) hint() int { return h.Start - 1 + h.shift }

// seek sets the places of hunks at a tier, and reports false if these are too many.
func (s *search) seek(hunks []*hunk, step match.Step) bool {
	if len(hunks) == 0 {
		return true
	}
	lists := make([][]string, len(hunks))
	for i, h := range hunks {
		lists[i] = h.old
	}
	all := s.src.FindLines(lists, step.Fold)
	for i, h := range hunks {
		if s.over() {
			return true
		}
		h.outside, h.places = nil, nil
		if len(all) == 0 || len(all[i]) == 0 {
			continue
		}
		h.places, h.truncated, h.tier, h.fold = all[i], len(all[i]) == match.MaxPlaces, step.Tier, step.Fold
		if len(h.Anchors) > 0 {
			s.keepInside(h, s.anchors.Scopes(h.Anchors)) // a tier below may have a place in there
		}
	}
	return all != nil
}

// loosely seeks each of some hunks that has no places at the first tier at which there are any.
func (s *search) loosely(hunks []*hunk) {
	lost := func() []*hunk {
		return slices.DeleteFunc(slices.Clone(hunks), func(h *hunk) bool { return len(h.places) > 0 || match.AllBlank(h.old) })
	}
	for _, step := range match.Tiers[1:] {
		if !s.over() && !s.seek(lost(), step) {
			s.failed = s.everywhere()
		}
	}
}

// read reads those of some hunks that stand nowhere in another way, in which they stand; the
// first that can counts. It returns the hunks that are read so.
func (s *search) read(hunks []*hunk, readings ...func(t *target, h *hunk) bool) (again []*hunk) {
	for _, h := range hunks {
		if s.over() {
			return nil
		}
		lost := len(h.places) == 0 && !h.reread && len(h.old) > 0
		if lost && slices.ContainsFunc(readings, func(read func(*target, *hunk) bool) bool { return read(&s.target, h) }) {
			again = append(again, h)
		}
	}
	return again
}

// narrow leaves those places of a hunk that its anchors and the end of the text
// allow; where they allow none they are passed over, with a note.
func (s *search) narrow(h *hunk) {
	if len(h.Anchors) > 0 {
		s.narrowByAnchors(h, s.anchors.Scopes(h.Anchors))
	}
	switch n := s.src.Text.Lines(); {
	case len(h.old) > 0:
	case h.Whole && n > 0:
		h.reason = func() *edits.Error {
			return h.error(edits.ContextNotFound, "%s has an empty SEARCH, which has a place in an empty file alone, and %s is not empty: quote the lines around the place.", h.name(), s.src.Path)
		}
	case h.AtEnd || len(h.Anchors) == 0 && !h.Numbered:
		h.places = []int32{int32(n)}
		if n > 0 && !h.AtEnd {
			h.note = "has neither context nor an anchor, so its lines were added at the end"
		}
	case len(h.Anchors) == 0 && h.Start <= n:
		h.places = []int32{int32(max(0, h.hint()+1))}
	}
	if h.AtEnd || h.OldOpen {
		s.narrowToEnd(h)
	}
}

// narrowToEnd leaves the place at the end of the text for a hunk that says that it
// is there, by whatever tier; if it is not, the others stay.
func (s *search) narrowToEnd(h *hunk) {
	n := s.src.Text.Lines() - len(h.old)
	if len(h.old) == 0 || n < 0 {
		return
	}
	if slices.Contains(h.places, int32(n)) {
		h.places, h.truncated = []int32{int32(n)}, false
		return
	}
	for _, step := range match.Tiers[1:] {
		if !s.how.Exact && h.reason == nil && s.src.LinesAre(n, h.old, step.Fold) {
			h.places, h.truncated, h.tier, h.fold = []int32{int32(n)}, false, step.Tier, step.Fold
			return
		}
	}
	if len(h.places) == 1 && h.AtEnd {
		h.note = "says that it is at the end of the file, which it is not"
	}
}

// narrowByAnchors has a hunk without old lines below what its anchors lead to. One that has
// some may do without an anchor that is nowhere, if it has one place.
func (s *search) narrowByAnchors(h *hunk, scopes []anchor.Scope) {
	if len(h.old) == 0 {
		for _, scope := range scopes {
			h.places = append(h.places, int32(scope.From+1))
		}
	}
	switch {
	case len(scopes) > 0:
	case len(h.places) == 1:
		h.note = "was placed without its anchor " + quoteAll(h.Anchors) + ", which is not in the file"
	default:
		h.reason, h.places = h.noAnchor, nil
	}
}

// keepInside leaves the places of a hunk that are in one of the scopes, if there are any; if
// none are, those that begin in one and go on below it.
func (s *search) keepInside(h *hunk, scopes []anchor.Scope) {
	if len(scopes) == 0 {
		return
	}
	for _, allows := range []func(s anchor.Scope, at int) bool{
		func(s anchor.Scope, at int) bool { return s.Holds(h.coreAt(at), at+len(h.old)) },
		func(s anchor.Scope, at int) bool { return at > s.From && at < s.To },
	} {
		inside := s.placesThat(h, func(at int32) bool {
			return slices.ContainsFunc(scopes, func(scope anchor.Scope) bool { return allows(scope, int(at)) })
		})
		if len(inside) > 0 {
			h.places = inside
			return
		}
	}
	h.outside, h.places = h.places, nil
}

// placesThat returns the places of a hunk that may be kept. Equal hunks have theirs in the
// same memory, and these in their own.
func (s *search) placesThat(h *hunk, may func(at int32) bool) (kept []int32) {
	if s.own += len(h.places); s.own > maxOwnPlaces {
		s.failed = s.everywhere()
	}
	for _, at := range h.places {
		if s.failed != nil || s.over() {
			return nil
		}
		if may(at) {
			kept = append(kept, at)
		}
	}
	return kept
}

// choose returns the places of hunks that are known.
func (s *search) choose() map[*hunk]int {
	chosen := make(map[*hunk]int, len(s.hunks))
	below := int32(s.below)
	for _, h := range s.hunks {
		if s.over() {
			return nil
		}
		if at, ok := s.ownPlace(h); ok {
			chosen[h] = at
		} else if s.how.First && h.reason == nil {
			s.takeFirst(h, below, chosen)
		}
		if at, ok := chosen[h]; ok {
			below = int32(at + len(h.old))
		}
	}
	if !s.how.First {
		s.chooseInOrder(chosen)
	}
	return chosen
}

// takeFirst chooses the first place of a hunk from line below on, else the first of all.
func (s *search) takeFirst(h *hunk, below int32, chosen map[*hunk]int) {
	k := slices.IndexFunc(h.places, func(at int32) bool { return at >= below })
	switch {
	case k < 0 && h.truncated:
		h.reason = h.severalPlaces // there may be one below those that are known
		return
	case len(h.places) == 0:
		return
	case len(h.places) > 1:
		h.note = "has several places; the first one was taken"
	}
	chosen[h] = int(h.places[max(k, 0)])
}

// ownPlace returns the place of a hunk that needs no others to tell it.
func (s *search) ownPlace(h *hunk) (int, bool) {
	switch {
	case len(h.places) == 0 || h.truncated:
		return 0, false
	case len(h.places) == 1 && s.isMadeAtNumber(h):
		h.reason = func() *edits.Error {
			return h.elsewhere(edits.ContextAmbiguous, h.places, "and is applied already at line %d, which its number names: correct its line number if that is meant", s.lineBefore(h.coreAt(h.hint())[0])+1)
		}
		return 0, false
	case len(h.places) == 1 && h.quoted && draft.IsFar(int(h.places[0]), h.hint()):
		h.reason = func() *edits.Error {
			return h.elsewhere(edits.ContextNotFound, h.places, "far from line %d, whose number it quotes: quote the lines that you mean, without numbers", h.Start)
		}
		return 0, false
	case len(h.places) == 1:
		return int(h.places[0]), true
	case !h.Numbered:
		return 0, false
	}
	best, ok := draft.NearestLine(h.places, h.hint())
	last := len(h.places) - 1
	if !ok || h.mustEnd() && int(h.places[last])+len(h.old) == s.src.Text.Lines() && last != best {
		return 0, false // the number says one thing, the missing context another
	}
	h.say(byNumber)
	return int(h.places[best]), true
}

func quoteAll(anchors []string) string {
	quoted := make([]string, len(anchors))
	for i, a := range anchors {
		quoted[i] = "“" + strings.TrimSpace(a) + "”"
	}
	return strings.Join(slices.Compact(quoted), " > ")
}

// resolve computes what a hunk comes to at its place.
func (s *search) resolve(h *hunk, at int) {
	if q, made := s.madeAround(h, at); made {
		h.setInPlace(q)
		return
	}
	changes, ok := s.changes(h, at)
	switch {
	case !ok:
		h.reason = func() *edits.Error { return h.unresolved(at) }
	case len(changes) == 0:
		h.setInPlace(at)
	default:
		h.state, h.at, h.changes = Placed, at, changes
		core := h.coreAt(at)
		h.core = [2]int{s.lineBefore(core[0]), s.lineBefore(core[1])}
	}
}
