package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

// Replace is the command str_replace.
type Replace struct {
	Old, New string
	All      bool // every occurrence, else exactly one
	NearLine int  // from 1: take the occurrence nearest to this line; 0 = none
	Lenient  bool // the tiers below Exact count as well
}

// Plan returns the edits that replace the occurrence of Old, or all of them. Only the first tier at
// which Old stands anywhere counts. Several occurrences there, overlapping ones included, are
// MultipleMatches, unless All is set or NearLine chooses one.
func (c Replace) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	if c.Old == "" {
		return edits.Plan{}, edits.Errorf(edits.InvalidParams, "old_str must not be empty; to add text, use insert with a line number, or quote a neighbouring line in old_str and repeat it in new_str.")
	}
	if c.All && c.NearLine > 0 {
		return edits.Plan{}, edits.Errorf(edits.InvalidParams, "replace_all takes every occurrence and near_line one: send one of them.")
	}
	if err := draft.CheckElided(c.Old, c.New); err != nil {
		return edits.Plan{}, err
	}
	places, err := c.places(src)
	if err == nil && len(places) == 0 {
		err = c.notFound(src)
	}
	if ended := src.Work.Err(); ended != nil {
		return edits.Plan{}, ended // there may be more places
	}
	if err != nil {
		return edits.Plan{}, err
	}
	lines := linesOf(src, places)
	if places[0].Tier == edits.Anchor {
		lines = nil
		for _, p := range places {
			for _, piece := range p.lines.Pieces() {
				lines = append(lines, p.at+piece+1)
			}
		}
	}
	p, err := src.Plan(regionsOf(places))
	if err != nil {
		return edits.Plan{}, err
	}
	p.Notes, p.Places = places[0].notes, len(places)
	p.Message = fmt.Sprintf("Replaced %s in %s at %s.", edits.Count(len(places), "occurrence"), src.Path, edits.LineList(lines))
	return p, nil
}

// places returns the regions to change, one for each occurrence of Old. It returns none if Old
// does not occur, or if the new text of a region is not known.
func (c Replace) places(src draft.Source) ([]occurrence, error) {
	places, hint := locate(src, c.Old, c.New, c.Lenient, !c.All)
	if len(places) == 0 {
		return nil, nil
	}
	if !c.All {
		p, err := c.choose(src, places, hint)
		if err != nil {
			return nil, err
		}
		places = []occurrence{p}
	}
	for i, p := range places {
		if p.lines != nil {
			want, ok := p.lines.Want(p.at, p.Region)
			places[i].Want, places[i].unresolved = want, !ok
		}
		if places[i].unresolved {
			return nil, nil
		}
	}
	return c.notAgain(src, places)
}

// choose returns the place that the command means.
func (c Replace) choose(src draft.Source, places []occurrence, hint int) (occurrence, error) {
	all := places
	if whole := whole(src, places, c.Old); len(whole) == 1 {
		places = whole
	}
	i, ok, number := 0, len(places) == 1, hint
	if c.NearLine > 0 && !ok {
		number = c.NearLine
	}
	if number > 0 {
		i, ok = draft.NearestLine(linesOf(src, places), number)
	}
	switch {
	case !ok && len(places) == 1:
		// A quoted number may be from an older text, but must still be near the place.
		at := candidateAt(src, places[0])
		return occurrence{}, &edits.Error{Kind: edits.NoMatch, Candidates: []edits.Candidate{at}, Message: fmt.Sprintf(
			"Text not found in %s near line %d, whose number old_str quotes; without the number it stands at line %d. Quote the lines that you mean, without numbers.",
			src.Path, hint, at.StartLine)}
	case !ok:
		return occurrence{}, ambiguous(src, places, c.NearLine)
	}
	p := places[i]
	if len(places) < len(all) {
		p.notes = append(slices.Clip(p.notes), "old_str stands inside of longer lines as well; the place where it is whole lines was taken.")
	}
	return p, nil
}

// whole returns the places that are whole lines, ignoring blanks; none if another place could be
// meant. Places that cut a word, or have several lines that are not whole, cannot be meant.
func whole(src draft.Source, places []occurrence, old string) []occurrence {
	var whole []occurrence
	for _, p := range places {
		switch {
		case wholeLines(src, p):
			whole = append(whole, p)
		case !strings.Contains(strings.TrimRight(old, "\n"), "\n") && !cutsWords(src, p.Start, p.End):
			return nil
		}
	}
	return whole
}

// notAgain returns places without those that lie within an occurrence of New: c was applied there before.
func (c Replace) notAgain(src draft.Source, places []occurrence) ([]occurrence, error) {
	var left []occurrence
	again := -1
	for _, p := range places {
		if start, ok := c.appliedAround(src, p); ok && c.Old != c.New {
			again = start
			continue
		}
		left = append(left, p)
	}
	switch {
	case again < 0:
		return places, nil
	case len(left) == 0:
		return nil, edits.Errorf(edits.AlreadyApplied, "Already applied: new_str stands in %s at line %d, and old_str only as a part of it; nothing was changed.", src.Path, src.Text.LineAt(again)+1)
	}
	left[0].notes = append(slices.Clip(left[0].notes), fmt.Sprintf("%s of old_str inside of new_str left alone.", edits.Count(len(places)-len(left), "place")))
	return left, nil
}

// appliedAround returns the start of an occurrence of New that p, a place of Old, lies within.
func (c Replace) appliedAround(src draft.Source, p occurrence) (int, bool) {
	holds := func(start, end int) bool {
		return start <= p.Start && p.End <= end+len(text.Terminator(src.Text.Slice(p.Start, p.End))) && (!cutsWords(src, start, end) || cutsWords(src, p.Start, p.End))
	}
	l, line := p.lines, p.at
	if l == nil && strings.Contains(c.Old, "\n") && wholeLines(src, p) {
		l, _ = place.NewLines(src, c.Old, c.New)
		line = src.Text.LineAt(p.Start)
	}
	if l != nil {
		if at, ok := l.MadeAround(line); ok {
			return src.Text.LineStart(at), true
		}
	}
	if p.Tier != edits.Exact && src.Text.Slice(p.Start, p.End) == c.New {
		return p.Start, true
	}
	if put := diff.UnixLines(c.New); strings.Contains(put, diff.UnixLines(c.Old)) {
		longest := len(put) + strings.Count(put, "\n") // of a place, whose line ends may be "\r\n"
		from := max(0, p.End-longest-len("\r\n"))
		to := max(from, min(src.Text.Len(), p.Start+longest+len("\r\n"))) // a place of look-alikes may be longer
		around := src.Text.Slice(from, to)
		for m := range text.New(around).Matches(strings.TrimSuffix(put, "\n"), true) {
			if from+m.Start > p.Start {
				break
			}
			below := around[m.End:]
			ends := text.Terminator(put) == "" || text.Terminator(c.Old) != "" && from+m.End == src.Text.Len() || strings.HasPrefix(below, "\n") || strings.HasPrefix(below, "\r\n")
			if ends && holds(from+m.Start, from+m.End) {
				return from + m.Start, true
			}
		}
	}
	if p.fold != (match.Fold{}) && p.fold.Text(c.Old) != p.fold.Text(c.New) {
		around, n := newFoldedSearch(src, c.New, c.New, p.Tier, p.fold, true), strings.Count(c.New, "\n")
		for _, q := range around.in(lines(src, max(0, src.Text.LineAt(p.Start)-n), min(src.Text.Lines(), src.Text.LineAt(p.End)+n+1))) {
			if holds(q.Start, q.End) {
				return q.Start, true
			}
		}
	}
	return 0, false
}

// ambiguous returns the error for several places; near, if not 0, is the line that chose none of them.
func ambiguous(src draft.Source, places []occurrence, near int) *edits.Error {
	e := &edits.Error{Kind: edits.MultipleMatches, Count: len(places)}
	for _, p := range places[:min(len(places), src.MostMatches())] {
		line := src.Text.LineAt(p.Start)
		start := min(src.Text.LineStart(line), p.Start)
		column := utf8.RuneCountInString(src.Text.Slice(start, p.Start)) + 1
		e.Matches = append(e.Matches, edits.Match{Line: line + 1, Column: column})
	}
	draft.TellApart(src, regionsOf(places), e.Matches)
	as := ""
	if tier := places[0].Tier; tier != edits.Exact {
		as = fmt.Sprintf(" (by the tier %s)", tier)
	}
	advice := "or set near_line or replace_all."
	if near > 0 {
		advice = fmt.Sprintf("or send the number of the line that you mean: near_line %d is not nearest to just one of them, within %d lines.", near, draft.MaxDrift)
	}
	e.Message = fmt.Sprintf("Text occurs %d times in %s, at %s%s; add lines around it to old_str so that it is unique, %s%s",
		len(places), src.Path, edits.LineList(linesOf(src, places)), as, advice, src.Unlisted(len(places)))
	return e
}

// linesOf returns the lines, from 1, at which places begin.
func linesOf(src draft.Source, places []occurrence) []int {
	lines := make([]int, len(places))
	for i, p := range places {
		lines[i] = src.Text.LineAt(p.Start) + 1
	}
	return lines
}

// regionsOf returns the regions of places.
func regionsOf(places []occurrence) []draft.Region {
	regions := make([]draft.Region, len(places))
	for i, p := range places {
		regions[i] = p.Region
	}
	return regions
}
