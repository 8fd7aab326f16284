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

// failure is a hunk that has no place, or several; its methods word why.
type failure struct {
	p *placer
	h *hunk
}

// err returns the error of a hunk that has no place, or several.
func (f failure) err() *edits.Error {
	switch {
	case f.p.tooDeep:
		return f.deepError()
	case f.h.reason != nil:
		return f.h.reason()
	case len(f.h.places) > 1 || f.h.truncated:
		return f.severalPlaces()
	case len(f.h.places) == 1:
		return f.meets()
	case len(f.h.outside) > 0:
		return f.outsideOf()
	}
	e := &edits.Error{Kind: edits.ContextNotFound, Hunk: f.h.number}
	var more string
	found, sought := f.p.candidates(draft.JoinLines(f.h.old), f.p.src.MostCandidates()+1)
	e.Candidates, more = f.p.src.Offered(found)
	e.Message = fmt.Sprintf("%s has no place in %s", f.h.name(), f.p.src.Path)
	if len(f.h.old) == 0 {
		e.Message += fmt.Sprintf(": it has no context, and the file has no line %d; quote lines that are there.", f.h.Start)
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
	e.Message += "; the closest is " + Words(best, f.h.old)
	if f.p.how.Exact {
		e.Message += ". With match: \"exact\" context and deleted lines must be there as they stand; \"lenient\" passes over blanks and look-alikes."
	} else {
		e.Message += ". Context and deleted lines must be there: view the file and copy them."
	}
	if e.Suggestion = CarriedOver((draft.Source{Source: edits.Source{Path: f.p.src.Path, Text: f.p.before}}), f.h.old, f.h.put, e.Candidates); e.Suggestion != nil {
		e.Message += strings.Replace(CarriedWords, "the change", "this hunk by itself,", 1)
	}
	e.Message += more
	return e
}

// name words a hunk: "Hunk 2 (line 14 of the patch)".
func (h *hunk) name() string { return fmt.Sprintf("Hunk %d (line %d of the patch)", h.number, h.Line) }

// candidates is [nearest.Find] in the text as it was: that is what the user sees.
func (t *target) candidates(old string, most int) (all []edits.Candidate, sought bool) {
	src := t.src.Source
	src.Text = t.before
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
func (f failure) severalPlaces() *edits.Error {
	e := &edits.Error{Kind: edits.ContextAmbiguous, Hunk: f.h.number}
	t := f.p.src.Text
	var lines []int
	var places []draft.Region
	before := f.p.lineBefore()
	for i, at := range f.h.places {
		line := before(f.h.coreAt(int(at))[0] + 1) // the first one that would change
		lines = append(lines, line)
		if i < f.p.src.MostMatches() {
			e.Matches = append(e.Matches, edits.Match{Line: line, Column: 1})
		}
		if i < 10*f.p.src.MostMatches() {
			end := int(at) + len(f.h.old)
			places = append(places, draft.Region{Start: t.LineStart(int(at)), End: draft.LineEnd(t, int(at), end)})
		}
	}
	if len(f.h.old) > 0 {
		draft.TellApart(f.p.src, places, e.Matches)
		for _, m := range e.Matches {
			if m.Context != nil {
				m.Context.Line = before(m.Context.Line)
			}
		}
	}
	as, atLeast, what := "", "", "add context lines so that it is unique, or an @@ line that names what it is in"
	if f.h.tier != edits.Exact && f.h.tier != "" {
		as = fmt.Sprintf(" (by the tier %s)", f.h.tier)
	}
	switch {
	case f.h.Numbered && f.h.mustEnd():
		what = "its line number says one thing, and that it has no context below, as at the end of a file, another: add context lines"
	case f.h.Numbered:
		what = fmt.Sprintf("correct its line number, which must be strictly nearest to one of them and within %d lines of it, or add context lines", draft.MaxDrift)
	}
	if f.h.truncated {
		atLeast = "at least "
	}
	e.Message = fmt.Sprintf("%s has %s%d places in %s, at %s%s; %s.%s", f.h.name(), atLeast, len(f.h.places), f.p.src.Path, edits.LineList(lines), as, what, f.p.src.Unlisted(len(lines)))
	return e
}

// mayBeApplied is the error of a hunk that stands at one place, and is applied already at
// the one that its number names.
func (f failure) mayBeApplied() *edits.Error {
	before := f.p.lineBefore()
	places := []int{before(f.h.hint()+1) - 1, before(int(f.h.places[0])+1) - 1}
	slices.Sort(places)
	e := &edits.Error{Kind: edits.ContextAmbiguous, Hunk: f.h.number}
	e.Matches, _ = f.p.src.LinePlaces(places)
	e.Message = fmt.Sprintf("%s is applied already at line %d of %s, which its number names, and its lines stand at line %d: correct its line number if that is meant.",
		f.h.name(), before(f.h.hint()+1), f.p.src.Path, before(int(f.h.places[0])+1))
	return e
}

// everywhere is the error of hunks that have more places than can be kept.
func (p *placer) everywhere() *edits.Error {
	return &edits.Error{Kind: edits.ContextAmbiguous, Message: fmt.Sprintf(
		"The hunks have more than %d places in %s, all in all; add context lines so that each is unique, or send fewer of them.", match.MaxAllPlaces, p.src.Path)}
}

// meets is the error of a hunk whose only place another one changes.
func (f failure) meets() *edits.Error {
	return &edits.Error{Kind: edits.Overlapping, Hunk: f.h.number, Message: fmt.Sprintf(
		"%s meets another hunk at line %d of %s: a line may be changed by one hunk only; send them as one.", f.h.name(), f.p.lineBefore()(int(f.h.places[0])+1), f.p.src.Path)}
}

// deepError is the error of a hunk that is still to be placed after all rounds.
func (f failure) deepError() *edits.Error {
	return &edits.Error{Kind: edits.ContextNotFound, Hunk: f.h.number, Message: fmt.Sprintf(
		"%s has no place in %s yet: of hunks that stand on each other at most about %d can, one on the other; send them as one, or in several patches.", f.h.name(), f.p.src.Path, maxRounds)}
}

// noAnchor is the error of a hunk whose anchor is not in the text.
func (f failure) noAnchor() *edits.Error {
	e := &edits.Error{Kind: edits.AnchorNotFound, Hunk: f.h.number}
	last := strings.TrimSpace(f.h.Anchors[len(f.h.Anchors)-1])
	e.Message = fmt.Sprintf("%s is below %s, which is not in %s", f.h.name(), quoteAll(f.h.Anchors), f.p.src.Path)
	if e.Candidates, _ = f.p.candidates(last+"\n", 1); len(e.Candidates) > 0 {
		e.Message += fmt.Sprintf("; the closest is line %d", e.Candidates[0].StartLine)
	}
	e.Message += ". An @@ line must be a line of the file, or the beginning of one."
	return e
}

// outsideOf is the error of a hunk that stands in the text, but not where its anchor
// says.
func (f failure) outsideOf() *edits.Error {
	e := &edits.Error{Kind: edits.ContextNotFound, Hunk: f.h.number}
	before := f.p.lineBefore()
	lines := make([]int, len(f.h.outside))
	for i, at := range f.h.outside {
		lines[i] = before(f.h.coreAt(int(at))[0]+1) - 1
	}
	var list string
	e.Matches, list = f.p.src.LinePlaces(lines)
	e.Message = fmt.Sprintf("%s has no place in what its anchor %s names in %s; its lines stand at %s, outside of that. Correct the anchor, or leave it out.",
		f.h.name(), quoteAll(f.h.Anchors), f.p.src.Path, list)
	return e
}

// unresolved is the error of a hunk that has a place at a loose tier, at which it
// cannot be told what its lines mean there.
func (f failure) unresolved(at int) *edits.Error {
	why := "the indentation of its new lines cannot be told from the lines around them"
	if f.h.tier == edits.Unicode {
		why = "what it changes there has other characters, some of them unseen, and must be quoted as it is"
	}
	e := &edits.Error{Kind: edits.ContextNotFound, Hunk: f.h.number, Message: fmt.Sprintf(
		"%s stands at line %d of %s only loosely (tier %s), and %s: copy the lines from the file.", f.h.name(), f.p.lineBefore()(at+1), f.p.src.Path, f.h.tier, why)}
	e.Candidates, _ = f.p.candidates(draft.JoinLines(f.h.old), 1)
	return e
}
