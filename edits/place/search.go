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
	"github.com/patchls/patchls/internal/lists"
)

// search finds the places of some hunks in one text, together.
type search struct {
	target
	hunks   []*hunk
	all     []*hunk             // of the patch
	back    changeset.Changeset // undoes what the hunks before these have made
	below   int                 // the line below the hunk before these
	anchors anchor.Anchors
	twice   []bool       // by hunk of the patch, see isStale; nil until it is asked for
	own     int          // how many places hunks have in memory of their own
	failed  *edits.Error // set if the hunks have too many places
}

// maxOwnPlaces bounds the places that hunks have in memory of their own. Hunks with equal lines
// share the places that a search finds.
const maxOwnPlaces = 1 << 24

// run seeks all hunks, chooses among their places, and computes the changes of those whose place is known. A hunk that
// stands nowhere exactly is read in other ways and sought loosely. If it still stands nowhere, it may be in place already.
func (s *search) run() {
	names := make([][]string, len(s.hunks))
	for i, h := range s.hunks {
		h.in, names[i] = s, h.Anchors
	}
	s.anchors = anchor.Find(s.src, names)
	s.exactly(s.hunks)
	for _, h := range s.hunks {
		if len(h.places) > 0 {
			newBlanks(&s.target, h)
		}
	}
	s.exactly(s.read(s.hunks, newBlanks, withoutBlanks))
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
	for i, h := range s.hunks {
		if i > 0 && s.hunks[i-1].isAnchor() && len(s.hunks[i-1].places) > 0 && !s.over() {
			s.keepBelow(h, s.hunks[i-1])
		}
	}
	chosen := s.choose()
	for _, h := range s.hunks {
		if s.over() {
			return
		}
		at, known := chosen[h]
		if !known && h.isAnchor() && len(h.places) > 0 {
			at, known = int(h.places[0]), true // it only has to be there
		}
		if known && h.reason == nil {
			s.resolve(h, at)
		}
	}
	s.inPlace()
}

// over reports whether planning must stop. What was found until then must not become a plan.
func (t *target) over() bool { return t.src.Work.Over() }

// exactly seeks hunks byte for byte.
func (s *search) exactly(hunks []*hunk) {
	for _, h := range hunks {
		s.cutBOM(h)
		h.tier = edits.Exact
	}
	if !s.seek(hunks, exactStep) {
		s.failed = s.everywhere()
	}
}

// exactStep is the tier at which lines stand byte for byte.
var exactStep = match.Step{Tier: edits.Exact}

// byNumber is the note on a hunk whose line number chose among its places.
const byNumber = "has several places; its line number chose"

// markStays is the note on a hunk that adds or removes a byte order mark. The editor decides on that of a buffer.
const markStays = "adds or removes a byte order mark; the text has its own, or none, as before"

// cutBOM removes a byte order mark from a hunk. The text's own mark belongs to no line.
func (t *target) cutBOM(h *hunk) {
	has := func(lines []string) bool { return len(lines) > 0 && strings.HasPrefix(lines[0], text.BOM) }
	if !has(h.old) && !has(h.put) || t.src.Text.Lines() == 0 || strings.HasPrefix(t.src.LineAt(0), text.BOM) {
		return
	}
	if len(h.old) > 0 && len(h.put) > 0 && has(h.old) != has(h.put) && has(h.put) != (t.src.Text.BOM() > 0) {
		h.say(markStays)
	}
	h.Lines = slices.Clone(h.Lines)
	for i := range h.Lines {
		h.Lines[i].Text = strings.TrimPrefix(h.Lines[i].Text, text.BOM)
	}
	h.measure()
}

// mustEnd reports whether a hunk belongs at the end of the text: only there do tools write less context below it than above.
func (h *hunk) mustEnd() bool { return h.OldOpen || h.Numbered && h.tail < h.head }

// hint returns the line, from 0, that the hunk's number names, moved by the hunks above it and by what has changed since.
func (h *hunk) hint() int { return h.Start - 1 + h.shift + h.drift }

// seek sets the places of hunks at a tier, and reports false if there are too many.
func (s *search) seek(hunks []*hunk, step match.Step) bool {
	if len(hunks) == 0 {
		return true
	}
	all := s.src.FindLines(lists.Map(hunks, func(h *hunk) []string { return h.old }), step.Fold)
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
			s.keepInside(h) // a later tier may have a place inside
		}
	}
	return all != nil
}

// loosely seeks each hunk that has no places, at the first tier at which it has any.
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

// read rereads each hunk that stands nowhere, by the first of readings that succeeds. It returns the hunks that were reread.
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

// narrow narrows the places of a hunk by its anchors and the end of the text, and
// sets the place of a hunk without old lines.
func (s *search) narrow(h *hunk) {
	if len(h.Anchors) > 0 {
		s.narrowByAnchors(h, s.anchors.Scopes(h.Anchors, false))
	}
	switch n := s.src.Text.Lines(); {
	case len(h.old) > 0:
	case h.Whole && n > 0 && !(h.Numbered && n == len(h.put) && s.isMade(h, 0)):
		h.reason = func() *edits.Error {
			return h.error(edits.ContextNotFound, "%s is for an empty file, and %s is not empty: quote the lines around the place.", h.name(), s.src.Path)
		}
	case h.AtEnd || len(h.Anchors) == 0 && !h.Numbered:
		h.places = []int32{int32(n)}
		if n > 0 && !h.AtEnd {
			h.note = "has neither context nor an anchor, so its lines were added at the end"
		}
	case len(h.Anchors) == 0 && h.Start+h.drift <= n:
		h.places = []int32{int32(max(0, h.hint()+1))}
	}
	if h.AtEnd || h.OldOpen {
		s.narrowToEnd(h)
	}
}

// narrowToEnd keeps only the place at the end of the text, at any tier, of a hunk that
// says it is there. If the hunk does not stand there, its other places stay.
func (s *search) narrowToEnd(h *hunk) {
	n := s.src.Text.Lines() - len(h.old)
	if h.OldOpen && s.src.Text.Terminator() != "" {
		h.say("says that the text does not end in a newline, which it does")
	}
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

// narrowByAnchors places a hunk without old lines below the lines that its anchors lead to. A hunk
// with old lines may do without an anchor that is not in the text, if the hunk has one place.
func (s *search) narrowByAnchors(h *hunk, scopes []anchor.Scope) {
	if len(h.old) == 0 {
		h.places = append(h.places, lists.Map(scopes, func(scope anchor.Scope) int32 { return int32(scope.From + 1) })...)
	}
	switch {
	case len(scopes) > 0:
	case len(h.places) == 1:
		h.note = "was placed without its anchor " + quoteAll(h.Anchors) + ", which is not in the file"
	default:
		h.reason, h.places = h.noAnchor, nil
	}
}

// keepInside keeps the places of a hunk that are in a scope of its anchors; if none are, those that begin in one and go on
// below it; if none do, those that begin on the line below an anchor. Each time the scopes of the best tier come first,
// and then those of any. If none of its places is left, all are outside.
func (s *search) keepInside(h *hunk) {
	best := s.anchors.Scopes(h.Anchors, false)
	if len(best) == 0 {
		return
	}
	all := s.anchors.Scopes(h.Anchors, true)
	for _, allows := range []func(s anchor.Scope, at int) bool{
		func(s anchor.Scope, at int) bool { return s.Holds(h.coreAt(at), at+len(h.old)) },
		func(s anchor.Scope, at int) bool { return at > s.From && at < s.To },
		func(s anchor.Scope, at int) bool { return at == s.From+1 },
	} {
		if s.keep(h, best, allows) || s.keep(h, all, allows) {
			return
		}
	}
	h.outside, h.places = h.places, nil
}

// keep keeps the places of a hunk that one of the scopes allows, if there are any.
func (s *search) keep(h *hunk, scopes []anchor.Scope, allows func(s anchor.Scope, at int) bool) bool {
	inside := s.placesThat(h, func(at int32) bool {
		return slices.ContainsFunc(scopes, func(scope anchor.Scope) bool { return allows(scope, int(at)) })
	})
	if len(inside) > 0 {
		h.places = inside
	}
	return len(inside) > 0
}

// keepBelow keeps the places of a hunk below those of the hunk above it in the patch, which changes nothing and is its
// anchor. If several are left, those in the block that the last line of the anchor with a text opens count.
func (s *search) keepBelow(h, above *hunk) {
	var scopes []anchor.Scope
	last := len(above.old) - 1
	for last > 0 && strings.TrimSpace(above.old[last]) == "" {
		last--
	}
	for _, at := range above.places[:min(len(above.places), draft.MaxMatches)] {
		next := int(at) + len(above.old)
		end, _ := anchor.ScopeEnd(s.src, int(at)+last)
		scopes = append(scopes, anchor.Scope{From: next - 1, To: end})
	}
	if len(h.old) == 0 && len(h.Anchors) == 0 && !h.Numbered && !h.AtEnd {
		h.Anchors, h.note = above.old[last:last+1], ""
		h.places = lists.Map(scopes, func(scope anchor.Scope) int32 { return int32(scope.From + 1) })
		return
	}
	below := s.keep(h, scopes[:1], func(s anchor.Scope, at int) bool { return h.coreAt(at)[0] > s.From })
	if below && len(h.places) > 1 { // if none is below, resolve says so
		s.keep(h, scopes, func(s anchor.Scope, at int) bool { return s.Holds(h.coreAt(at), at+len(h.old)) })
	}
}

// placesThat returns the places of a hunk for which may returns true, in memory of their own:
// equal hunks share their places.
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

// choose returns the places of the hunks whose place is known.
func (s *search) choose() map[*hunk]int {
	chosen := make(map[*hunk]int, len(s.hunks))
	for _, h := range s.hunks {
		if s.over() {
			return nil
		} else if s.isOnly(h) {
			chosen[h] = int(h.places[0])
		}
	}
	s.chooseByNumber(chosen)
	if !s.how.First {
		s.chooseInOrder(chosen)
		return chosen
	}
	below := int32(s.below)
	for _, h := range s.hunks {
		if _, known := chosen[h]; !known && h.reason == nil {
			s.takeFirst(h, below, chosen)
		}
		if at, ok := chosen[h]; ok {
			below = int32(at + len(h.old))
		}
	}
	return chosen
}

// takeFirst chooses the first place of a hunk at line below or after it, else the first of all.
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

// isOnly reports whether a hunk has one place.
func (s *search) isOnly(h *hunk) bool {
	if len(h.places) != 1 || h.truncated {
		return false
	}
	at := int(h.places[0])
	switch s.carry(h, max(at-h.hint(), h.hint()-at)); {
	case s.isStale(h):
		h.reason = h.changedAtNumber
		return false
	case s.isMadeAtNumber(h):
		h.reason = func() *edits.Error {
			return h.elsewhere(edits.ContextAmbiguous, h.places, "and is applied already at line %d, which its number names: correct its line number if that is meant", s.lineBefore(h.coreAt(h.hint())[0])+1)
		}
		return false
	case h.quoted && draft.IsFar(int(h.places[0]), h.hint()):
		h.reason = func() *edits.Error {
			return h.elsewhere(edits.ContextNotFound, h.places, "far from line %d, whose number it quotes: quote the lines that you mean, without numbers", h.Start)
		}
		return false
	}
	return true
}

func quoteAll(anchors []string) string {
	quoted := lists.Map(anchors, func(a string) string { return "“" + strings.TrimSpace(a) + "”" })
	return strings.Join(slices.Compact(quoted), " > ")
}

// fromAnchor returns why a hunk may not stand at line at: the hunk above it in the patch is its anchor, and has no place,
// or none above that line. It returns "" if it may.
func (s *search) fromAnchor(h *hunk, at int) string {
	if h.number == 1 || !s.all[h.number-2].isAnchor() {
		return ""
	}
	above, line := s.all[h.number-2], h.coreAt(at)[0]
	switch end := len(above.old); {
	case above.state != Placed:
		return "but hunk %d, which says where it goes, has no place"
	case above.in.src.Text == s.src.Text && line < above.at+end, above.in.src.Text != s.src.Text && s.lineBefore(line) < above.core[0]+end:
		return "not below the lines of hunk %d, which says where it goes: correct that, or leave it out"
	}
	return ""
}

// resolve computes the changes of a hunk at its place, or finds that it is in place already.
func (s *search) resolve(h *hunk, at int) {
	if why := s.fromAnchor(h, at); why != "" {
		h.reason = func() *edits.Error { return h.elsewhere(edits.ContextNotFound, []int32{int32(at)}, why, h.number-1) }
		return
	}
	if q, made := s.madeAround(h, at); made && !h.isAnchor() {
		if s.src.Text == s.before && (len(s.all) == 1 || !h.Numbered || len(h.old) > 0 && !s.isOfTool(h, at)) {
			h.setInPlace(q)
		} else {
			h.fail(*h.elsewhere(edits.ContextNotFound, []int32{int32(at)}, "where its new lines are already: it was applied before, or another hunk makes them, or they are far from its number: send the change once, quote more lines, or correct the number"))
		}
		return
	}
	changes, ok := s.changes(h, at)
	switch {
	case !ok:
		h.reason = func() *edits.Error { return h.unresolved(at) }
	case len(changes) == 0 && !h.isAnchor():
		h.setInPlace(at)
	default:
		h.state, h.at, h.offset, h.changes = Placed, at, at-h.hint(), changes
		core := h.coreAt(at)
		h.core = [2]int{s.lineBefore(core[0]), s.lineBefore(core[1])}
	}
}
