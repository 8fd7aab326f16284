package place

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reread"
	"github.com/patchls/patchls/internal/lists"
)

// error returns an error of the hunk.
func (h *hunk) error(kind edits.Kind, format string, args ...any) *edits.Error {
	return &edits.Error{Kind: kind, Hunk: h.number, Message: fmt.Sprintf(format, args...)}
}

// err returns the error of a hunk that has no place, or several.
func (h *hunk) err() *edits.Error {
	switch {
	case h.reason != nil:
		return h.reason()
	case h.lost && len(h.places) > 1:
		return h.changedAtNumber()
	case len(h.places) > 1 || h.truncated:
		return h.severalPlaces()
	case len(h.outside) > 0:
		return h.elsewhere(edits.ContextNotFound, h.outside, "outside of what its anchor %s names: correct the anchor, or leave it out", quoteAll(h.Anchors))
	}
	e := h.error(edits.ContextNotFound, "%s has no place in %s", h.name(), h.in.src.Path)
	isNew := func(l patch.Line) bool { return l.Kind == patch.AddedLine }
	for i, l := range h.original.Lines { // models forget the sign of a new line
		among := slices.ContainsFunc(h.original.Lines[:i], isNew) && slices.ContainsFunc(h.original.Lines[i:], isNew)
		if among && !isNew(l) && l.NoSign && strings.TrimSpace(l.Text) != "" && !h.in.stands([]string{l.Text}, match.BlanksFold) {
			e.Message += fmt.Sprintf(": no line there reads %q, which stands among new lines without a sign; if it is new, begin it with \"+\".", edits.Excerpt(l.Text))
			return e
		}
	}
	found, sought := h.in.candidates(draft.JoinLines(h.old), h.in.src.MostCandidates()+1)
	var more string
	e.Candidates, more = h.in.src.Offered(found)
	switch {
	case len(h.old) == 0:
		e.Message += fmt.Sprintf(": it has no context, and the file has no line %d; quote lines that are there.", h.Start)
		return e
	case !sought:
		e.Message += "; what comes near was not sought, since the command has sought so much: view the file and copy its context and deleted lines from there."
		return e
	case len(e.Candidates) == 0:
		e.Message += ", and nothing in it comes near: view the file and copy its context and deleted lines from there."
		if old := draft.JoinLines(h.old); reread.Bare(old) != old {
			e.Message += " If they were escaped on the way, send them with no escapes but their own."
		}
		return e
	}
	e.Message += "; the closest is " + Words(e.Candidates[0], h.old)
	if h.in.how.Exact {
		e.Message += ". With match: \"exact\" context and deleted lines must be there as they stand; \"lenient\" passes over blanks and look-alikes."
	} else {
		e.Message += ". Context and deleted lines must be there: view the file and copy them."
	}
	if e.Suggestion = CarriedOver((draft.Source{Source: edits.Source{Path: h.in.src.Path, Text: h.in.before}}), h.old, h.put, e.Candidates); e.Suggestion != nil {
		e.Message += strings.Replace(CarriedWords, "the change", "this hunk by itself,", 1)
	}
	e.Message += more
	return e
}

// name words a hunk: "Hunk 2 (line 14 of the patch)".
func (h *hunk) name() string { return fmt.Sprintf("Hunk %d (line %d of the patch)", h.number, h.Line) }

// candidates calls [nearest.Find] on the text before the patch, which is what the user sees.
func (t *target) candidates(old string, most int) (all []edits.Candidate, sought bool) {
	src := t.src.Source
	src.Text = t.before
	return nearest.Find(src, old, most)
}

// lineBefore maps a line of the text to a line, from 0, of the text before the patch. A line
// that hunks have made maps to a line near the place where they made it.
func (s *search) lineBefore(line int) int {
	if line >= s.src.Text.Lines() {
		return s.before.Lines()
	}
	return s.before.LineAt(s.back.Map(s.src.Text.LineStart(line), false))
}

// severalPlaces returns the error of a hunk that has several places.
func (h *hunk) severalPlaces() *edits.Error {
	t := h.in.src.Text
	var lines []int // for each place, the first line that would change
	var places []draft.Region
	for i, at := range h.places {
		lines = append(lines, h.in.lineBefore(h.coreAt(int(at))[0]))
		if i < draft.MostToldApart*h.in.src.MostMatches() {
			places = append(places, draft.Region{Start: t.LineStart(int(at)), End: t.LineStart(int(at) + len(h.old))})
		}
	}
	matches, list := h.in.src.LinePlaces(lines)
	if len(h.old) > 0 {
		draft.TellApart(h.in.src, places, matches)
		for _, m := range matches {
			if m.Context != nil {
				m.Context.Line = h.in.lineBefore(m.Context.Line-1) + 1
			}
		}
	}
	as, atLeast, what := "", "", "add context lines so that it is unique, or an @@ line that names what it is in"
	if h.tier != edits.Exact && h.tier != "" {
		as = fmt.Sprintf(" (by the tier %s)", h.tier)
	}
	switch {
	case h.Numbered && !h.in.mayEndAt(h, -1):
		what = "its line number says one thing, and that it has less context below than above, as at the end of a file, another: add context lines"
	case h.Numbered:
		what = fmt.Sprintf("its line number must be within %d lines of one of them, less than half as far from it as from any other, and agree with those of the other hunks: correct it, or add context lines", draft.MaxDrift)
	}
	if h.truncated {
		atLeast = "at least "
	}
	e := h.error(edits.ContextAmbiguous, "%s has %s%d places in %s, at %s%s; %s.%s", h.name(), atLeast, len(h.places), h.in.src.Path, list, as, what, h.in.src.Unlisted(len(lines)))
	e.Matches, e.At = matches, list
	return e
}

// everywhere returns the error of hunks that together have more places than can be kept.
func (t *target) everywhere() *edits.Error {
	return edits.Errorf(edits.ContextAmbiguous, "The hunks have more than %d places in %s, all in all; add context lines so that each is unique, or send fewer of them.", match.MaxAllPlaces, t.src.Path)
}

// noAnchor returns the error of a hunk whose anchor is not in the text.
func (h *hunk) noAnchor() *edits.Error {
	e := h.error(edits.AnchorNotFound, "%s is below %s, which is not in %s", h.name(), quoteAll(h.Anchors), h.in.src.Path)
	last := strings.TrimSpace(h.Anchors[len(h.Anchors)-1])
	if e.Candidates, _ = h.in.candidates(last+"\n", 1); len(e.Candidates) > 0 {
		e.Message += fmt.Sprintf("; the closest is line %d", e.Candidates[0].StartLine)
	}
	e.Message += ". An @@ line must be a line of the file, or the beginning of one."
	return e
}

// elsewhere returns the error of a hunk whose lines stand only at places that do not count; why says the reason.
func (h *hunk) elsewhere(kind edits.Kind, places []int32, why string, args ...any) *edits.Error {
	matches, list := h.in.src.LinePlaces(lists.Map(places, func(at int32) int { return h.in.lineBefore(h.coreAt(int(at))[0]) }))
	e := h.error(kind, "%s stands at %s of %s, %s.", h.name(), list, h.in.src.Path, fmt.Sprintf(why, args...))
	e.Matches, e.At = matches, list
	return e
}

// unresolved returns the error of a hunk that has a place at a loose tier, but whose
// changes cannot be adapted to that place.
func (h *hunk) unresolved(at int) *edits.Error {
	why := "the indentation of its new lines cannot be told from the lines around them"
	if h.tier == edits.Unicode {
		why = "what it changes there has other characters, and must be quoted as it is"
	}
	e := h.elsewhere(edits.ContextNotFound, []int32{int32(at)}, "but only loosely (tier %s), and %s: copy the lines from the file", h.tier, why)
	e.Candidates, _ = h.in.candidates(draft.JoinLines(h.old), 1)
	return e
}

// CarriedOver returns the call that makes the change from old to put at the nearest place, if
// only lines that stay are misquoted there: the changes from old to put and from old to the
// text at that place merge without a conflict. It returns nil if there is no such call.
func CarriedOver(src draft.Source, old, put []string, near []edits.Candidate) *edits.Suggestion {
	if len(near) == 0 || len(near) > 1 && near[1].Similarity == near[0].Similarity || slices.ContainsFunc(old, elision.IsElision) {
		return nil
	}
	there := near[0].Text
	m := merge.Texts(draft.JoinLines(old), draft.JoinLines(put), there+"\n")
	merged := strings.TrimSuffix(m.Text, "\n")
	lines := strings.Split(there, "\n")
	if len(m.Conflicts) > 0 || merged == there || addBoth(old, put, lines) {
		return nil
	}
	at, once := draft.OnlyPlace(src.Text, there)
	if !once || src.CheckElided(at.Start, at.End, merged) != nil {
		return nil
	}
	h := lineHunk(src, lines, strings.Split(merged, "\n"))
	if _, again := (&target{before: src.Text, src: src}).madeAround(h, src.Text.LineAt(at.Start)); again {
		return nil
	}
	return &edits.Suggestion{Command: "str_replace", Arguments: map[string]any{"path": src.Path, "old_str": there, "new_str": merged}}
}

// addBoth reports whether put and there share a line, not a blank one, that old does not have.
func addBoth(old, put, there []string) bool {
	known, added := map[string]bool{"": true}, map[string]bool{}
	for _, l := range old {
		known[match.BlanksFold.Line(l)] = true
	}
	for _, l := range there {
		if core := match.BlanksFold.Line(l); !known[core] {
			added[core] = true
		}
	}
	return slices.ContainsFunc(put, func(l string) bool { return added[match.BlanksFold.Line(l)] })
}

// Words describes a candidate: "lines 5-6 (80% alike), where line 5 differs at column 3". If all
// of its lines are alike, it lacks something, or else it would be the place; Words says what.
func Words(c edits.Candidate, old []string) string {
	s := edits.LineRange(c.StartLine, c.EndLine)
	if alike := int(c.Similarity * 100); alike < 100 {
		s += fmt.Sprintf(" (%d%% alike)", alike)
	} else if lacks := lacking(old, strings.Split(c.Text, "\n")); lacks != "" {
		s += " (alike, but it lacks " + lacks + ")"
	} else {
		s += " (alike, but not the same lines, or another hunk changes them)"
	}
	if d := c.FirstDifference; d != nil {
		s += fmt.Sprintf(", where line %d differs at column %d: sent %q, found %q", d.Line, d.Column, d.Sent, d.Found)
	}
	return s
}

// lacking describes the first of lines that others does not have in order.
func lacking(lines, others []string) string {
	for i, at := range diff.MatchLines(lines, others) {
		switch {
		case at >= 0:
		case strings.TrimSpace(lines[i]) == "":
			return "a blank line"
		default:
			return fmt.Sprintf("“%s”", edits.Excerpt(strings.TrimSpace(lines[i])))
		}
	}
	return ""
}

// CarriedWords explain the suggestion that [CarriedOver] returns.
const CarriedWords = " Only lines that stay differ there: the suggestion is the change carried over to it, if that is the place."
