package place

import (
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/anchor"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// setInPlace records that a hunk is in place already, at line at, from 0.
func (h *hunk) setInPlace(at int) {
	h.state, h.tier = InPlace, edits.Exact
	h.core[0] = h.in.lineBefore(at + h.head)
	if h.note != markStays {
		h.note = fmt.Sprintf("is in place already, at line %d", at+1)
	}
}

// madeAround returns the line at which the hunk's new lines stand already, if its place, line at, lies within them: the hunk
// was applied before, and would be applied a second time. It reports false for a hunk that a tool made for this very place.
func (t *target) madeAround(h *hunk, at int) (int, bool) {
	if h.isExpected(at) && t.isOfTool(h, at) || h.OldOpen != h.NewOpen {
		return 0, false
	}
	top := max(0, at-len(h.put)+len(h.old))
	anchored := len(h.Anchors) > 0 && !h.AtEnd // what it adds is not the anchor, which is the line above if it has no context
	if (anchored || h.Numbered) && len(h.old) == 0 {
		top = at
	}
	for q := at; q >= top && !t.over(); q-- {
		if t.isMade(h, q) {
			if !anchored || len(h.old) == 0 {
				return q, true
			}
			scopes := h.in.anchors.Scopes(h.Anchors, false)
			return q, len(scopes) == 0 || scopes[0].From < q+h.firstNew()
		}
	}
	return 0, false
}

// isOfTool reports whether a numbered hunk that stands at line at has the context that a tool writes. One that begins at the
// first line may stand below it because it was applied: then its new lines begin there.
func (t *target) isOfTool(h *hunk, at int) bool {
	return h.Numbered && len(h.old) > 0 && (h.tail > 0 || at+len(h.old) == t.src.Text.Lines()) && (h.Start > 1 || at == 0 || !t.isMade(h, 0))
}

// isMade reports whether the hunk's new lines stand at a line: exactly or, if the hunk changes more
// than blanks, ignoring blanks. Then the indentations that were sent and found must pair one to one.
func (t *target) isMade(h *hunk, at int) bool {
	if t.src.LinesAre(at, h.put, match.Fold{}) {
		return true
	}
	sameBut := func(a, b string) bool { return match.BlanksFold.Line(a) == match.BlanksFold.Line(b) }
	if t.how.Exact || slices.EqualFunc(h.old, h.put, sameBut) || !t.src.LinesAre(at, h.put, match.BlanksFold) {
		return false
	}
	sent, found := map[string]string{}, map[string]string{}
	for i, l := range h.put {
		a, core, _ := text.CutBlanks(l)
		if core == "" {
			continue
		}
		b, _, _ := text.CutBlanks(t.src.LineAt(at + i))
		x, known := sent[a]
		y, used := found[b]
		if known && x != b || used && y != a {
			return false
		}
		sent[a], found[b] = b, a
	}
	return true
}

// isMadeAtNumber reports whether a hunk is in place at its line number, far from its only place.
func (t *target) isMadeAtNumber(h *hunk) bool {
	at := h.hint()
	return h.Numbered && !h.lost && len(h.old) > 0 && at >= 0 && draft.IsFar(int(h.places[0]), at) && match.WordCharacters(h.put) > 1 && t.isMade(h, at)
}

// inPlace finds the hunks that stand nowhere, exactly or loosely, but whose new lines stand at one place that their
// anchors and line numbers allow, and where no other hunk changes lines. What other hunks have made tells nothing.
func (s *search) inPlace() {
	gone := lists.FilterMap(s.hunks, func(h *hunk) (*hunk, bool) {
		return h, s.src.Text == s.before && h.state == Unplaced && len(h.places) == 0 && !h.truncated && h.reason == nil && len(h.old) > 0 && match.WordCharacters(h.put) > 1
	})
	shift := 0 // how many lines the hunks in place have added to the text
	for i, places := range s.src.FindLines(lists.Map(gone, func(h *hunk) []string { return h.put }), match.BlanksFold) {
		h, scopes := gone[i], s.anchors.Scopes(gone[i].Anchors, false)
		number := int32(h.hint() + shift)
		made := slices.DeleteFunc(slices.Clone(places), func(line int32) bool {
			at, end := int(line), int(line)+len(h.put)
			in := func(scope anchor.Scope) bool {
				return scope.Holds([2]int{at + h.head, end - h.tail}, end) && at+h.firstNew() > scope.From
			}
			return s.over() || h.Numbered && draft.IsFar(at, int(number)) || s.isTaken(at, end) || !slices.ContainsFunc(scopes, in) || !s.isMade(h, at)
		})
		atNumber := h.Numbered && slices.Contains(made, number)
		if atNumber {
			made = []int32{number}
		}
		if len(made) == 1 && !s.over() && s.isTold(h, atNumber) {
			h.setInPlace(int(made[0]))
			shift += len(h.put) - len(h.old)
		}
	}
}

// isTaken reports whether a hunk changes lines in [from,to).
func (s *search) isTaken(from, to int) bool {
	return slices.ContainsFunc(s.all, func(h *hunk) bool {
		return h.state == Placed && slices.ContainsFunc(h.changes, func(c draft.LineChange) bool { return c.From < to && from < max(c.To, c.From) })
	})
}

// isTold reports whether finding the hunk's new lines means that it was applied. If it only deletes
// lines, its context at both ends must stand once. Otherwise it must have an anchor, or be at its
// line number, or its context, or what its old and new lines share, at one end must stand once.
func (t *target) isTold(h *hunk, atNumber bool) bool {
	above, below := h.put[:h.head], h.put[len(h.put)-h.tail:]
	if !slices.ContainsFunc(h.Lines, func(l patch.Line) bool { return l.Kind == patch.AddedLine }) {
		return t.standsOnce(above) && t.standsOnce(below)
	}
	return atNumber || len(h.Anchors) > 0 || t.standsOnce(above) || t.standsOnce(below) || SharesWhatStandsOnce(t.src, draft.JoinLines(h.old), draft.JoinLines(h.put))
}

// SharesWhatStandsOnce reports whether the words that old and put share at one end stand once in src.
func SharesWhatStandsOnce(src draft.Source, old, put string) bool {
	p, q := diff.CommonEnds(old, put)
	for p > 0 && match.CutsWord(put, p) {
		p--
	}
	for q > 0 && match.CutsWord(put, len(put)-q) {
		q--
	}
	return slices.ContainsFunc([]string{put[:p], put[len(put)-q:]}, func(s string) bool {
		_, once := draft.OnlyPlace(src.Text, s)
		return once && match.WordCharacters([]string{s}) > 0
	})
}

// standsOnce reports whether lines have words and stand in the text just once, ignoring blanks.
func (t *target) standsOnce(lines []string) bool {
	return match.WordCharacters(lines) > 0 && len(t.src.FindLines([][]string{lines}, match.BlanksFold)[0]) == 1
}
