package place

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/nearest"
)

// lost returns the error of a hunk that has no place, or several.
func (p *placer) lost(h *hunk) *edits.Error {
	switch {
	case p.tooDeep:
		return p.deepError(h)
	case h.lost != nil:
		return h.lost()
	case len(h.places) > 1 || h.cut:
		return p.severalPlaces(h)
	case len(h.places) == 1:
		return p.meets(h)
	case len(h.outside) > 0:
		return p.outsideOf(h)
	}
	e := &edits.Error{Kind: edits.ContextNotFound, Hunk: h.number}
	var more string
	found, sought := p.candidates(draft.JoinLines(h.old), p.src.MostCandidates()+1)
	e.Candidates, more = p.src.Offered(found)
	e.Message = fmt.Sprintf("%s has no place in %s", h.name(), p.src.Path)
	if len(h.old) == 0 {
		e.Message += fmt.Sprintf(": it has no context, and the file has no line %d; quote lines that are there.", h.Start)
		return e
	}
	if !sought {
		e.Message += "; what comes near was not sought, since the command has sought so much: view the file and copy its context and deleted lines from there."
		return e
	}
	if len(e.Candidates) == 0 {
		e.Message += ", and nothing in it comes near: view the file and copy its context and deleted lines from there."
		return e
	}
	best := e.Candidates[0]
	e.Message += "; the closest is " + Words(best, h.old)
	if p.how.Exact {
		e.Message += ". With match: \"exact\" context and deleted lines must be there as they stand; \"lenient\" passes over blanks and look-alikes."
	} else {
		e.Message += ". Context and deleted lines must be there: view the file and copy them."
	}
	if e.Suggestion = CarriedOver((draft.Source{Source: edits.Source{Path: p.src.Path, Text: p.before}}), h.old, h.put, e.Candidates); e.Suggestion != nil {
		e.Message += strings.Replace(CarriedWords, "the change", "this hunk by itself,", 1)
	}
	e.Message += more
	return e
}

// name words a hunk: "Hunk 2 (line 14 of the patch)".
func (h *hunk) name() string { return fmt.Sprintf("Hunk %d (line %d of the patch)", h.number, h.Line) }

// candidates is [nearest.Find] in the text as it was: that is what the user sees.
func (p *placer) candidates(old string, most int) (all []edits.Candidate, sought bool) {
	src := p.src.Source
	src.Text = p.before
	return nearest.Find(src, old, most)
}

// lineBefore returns what tells, of a line of the text as it is now, from 1, its number
// before the hunks that are placed; that of what they make is near where they make it.
func (p *placer) lineBefore() func(line int) int {
	placed := make([]*hunk, 0, len(p.hunks))
	for _, h := range p.hunks {
		if h.state == hunkPlaced && h.grows != 0 {
			placed = append(placed, h)
		}
	}
	slices.SortStableFunc(placed, func(a, b *hunk) int { return cmp.Compare(a.core[1], b.core[1]) })
	grown := make([]int, len(placed)+1)
	for i, h := range placed {
		grown[i+1] = grown[i] + h.grows
	}
	return func(line int) int {
		above, _ := slices.BinarySearchFunc(placed, line, func(h *hunk, line int) int { return cmp.Compare(h.core[1], line) })
		return max(1, line-grown[above])
	}
}

// severalPlaces is the error of a hunk that has more places than one.
func (p *placer) severalPlaces(h *hunk) *edits.Error {
	e := &edits.Error{Kind: edits.ContextAmbiguous, Hunk: h.number}
	t := p.src.Text
	var lines []int
	var places []draft.Region
	before := p.lineBefore()
	for i, at := range h.places {
		line := before(h.coreAt(int(at))[0] + 1) // the first one that would change
		lines = append(lines, line)
		if i < p.src.MostMatches() {
			e.Matches = append(e.Matches, edits.Match{Line: line, Column: 1})
		}
		if i < 10*p.src.MostMatches() {
			end := int(at) + len(h.old)
			places = append(places, draft.Region{Start: t.LineStart(int(at)), End: draft.LineEnd(t, int(at), end)})
		}
	}
	if len(h.old) > 0 {
		draft.TellApart(p.src, places, e.Matches)
		for _, m := range e.Matches {
			if m.Context != nil {
				m.Context.Line = before(m.Context.Line)
			}
		}
	}
	as, atLeast, what := "", "", "add context lines so that it is unique, or an @@ line that names what it is in"
	if h.tier != edits.Exact && h.tier != "" {
		as = fmt.Sprintf(" (by the tier %s)", h.tier)
	}
	switch {
	case h.Numbered && h.mustEnd():
		what = "its line number says one thing, and that it has no context below, as at the end of a file, another: add context lines"
	case h.Numbered:
		what = fmt.Sprintf("correct its line number, which must be strictly nearest to one of them and within %d lines of it, or add context lines", draft.MaxDrift)
	}
	if h.cut {
		atLeast = "at least "
	}
	e.Message = fmt.Sprintf("%s has %s%d places in %s, at %s%s; %s.%s", h.name(), atLeast, len(h.places), p.src.Path, edits.LineList(lines), as, what, p.src.Unlisted(len(lines)))
	return e
}

// mayBeApplied is the error of a hunk that stands at one place, and is applied already at
// the one that its number names.
func (p *placer) mayBeApplied(h *hunk) *edits.Error {
	before := p.lineBefore()
	places := []int{before(h.hint()+1) - 1, before(int(h.places[0])+1) - 1}
	slices.Sort(places)
	e := &edits.Error{Kind: edits.ContextAmbiguous, Hunk: h.number}
	e.Matches, _ = p.src.LinePlaces(places)
	e.Message = fmt.Sprintf("%s is applied already at line %d of %s, which its number names, and its lines stand at line %d: correct its line number if that is meant.",
		h.name(), before(h.hint()+1), p.src.Path, before(int(h.places[0])+1))
	return e
}

// everywhere is the error of hunks that have more places than can be kept.
func (p *placer) everywhere() *edits.Error {
	return &edits.Error{Kind: edits.ContextAmbiguous, Message: fmt.Sprintf(
		"The hunks have more than %d places in %s, all in all; add context lines so that each is unique, or send fewer of them.", match.MaxAllPlaces, p.src.Path)}
}

// meets is the error of a hunk whose only place another one changes.
func (p *placer) meets(h *hunk) *edits.Error {
	return &edits.Error{Kind: edits.Overlapping, Hunk: h.number, Message: fmt.Sprintf(
		"%s meets another hunk at line %d of %s: a line may be changed by one hunk only; send them as one.", h.name(), p.lineBefore()(int(h.places[0])+1), p.src.Path)}
}

// deepError is the error of a hunk that is still to be placed after all rounds.
func (p *placer) deepError(h *hunk) *edits.Error {
	return &edits.Error{Kind: edits.ContextNotFound, Hunk: h.number, Message: fmt.Sprintf(
		"%s has no place in %s yet: of hunks that stand on each other at most about %d can, one on the other; send them as one, or in several patches.", h.name(), p.src.Path, maxRounds)}
}

// noAnchor is the error of a hunk whose anchor is not in the text.
func (p *placer) noAnchor(h *hunk) *edits.Error {
	e := &edits.Error{Kind: edits.AnchorNotFound, Hunk: h.number}
	last := strings.TrimSpace(h.Anchors[len(h.Anchors)-1])
	e.Message = fmt.Sprintf("%s is below %s, which is not in %s", h.name(), quoteAll(h.Anchors), p.src.Path)
	if e.Candidates, _ = p.candidates(last+"\n", 1); len(e.Candidates) > 0 {
		e.Message += fmt.Sprintf("; the closest is line %d", e.Candidates[0].StartLine)
	}
	e.Message += ". An @@ line must be a line of the file, or the beginning of one."
	return e
}

// outsideOf is the error of a hunk that stands in the text, but not where its anchor
// says.
func (p *placer) outsideOf(h *hunk) *edits.Error {
	e := &edits.Error{Kind: edits.ContextNotFound, Hunk: h.number}
	before := p.lineBefore()
	lines := make([]int, len(h.outside))
	for i, at := range h.outside {
		lines[i] = before(h.coreAt(int(at))[0]+1) - 1
	}
	var list string
	e.Matches, list = p.src.LinePlaces(lines)
	e.Message = fmt.Sprintf("%s has no place in what its anchor %s names in %s; its lines stand at %s, outside of that. Correct the anchor, or leave it out.",
		h.name(), quoteAll(h.Anchors), p.src.Path, list)
	return e
}

// untold is the error of a hunk that has a place at a loose tier, at which it
// cannot be told what its lines mean there.
func (p *placer) untold(h *hunk, at int) *edits.Error {
	why := "the indentation of its new lines cannot be told from the lines around them"
	if h.tier == edits.Unicode {
		why = "what it changes there has other characters, some of them unseen, and must be quoted as it is"
	}
	e := &edits.Error{Kind: edits.ContextNotFound, Hunk: h.number, Message: fmt.Sprintf(
		"%s stands at line %d of %s only loosely (tier %s), and %s: copy the lines from the file.", h.name(), p.lineBefore()(at+1), p.src.Path, h.tier, why)}
	e.Candidates, _ = p.candidates(draft.JoinLines(h.old), 1)
	return e
}
