package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
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
	ps := locate(src, c.Old, c.New, c.Lenient, !c.All)
	var p edits.Plan
	var err error
	if !c.All && !ps.none() {
		ps, err = c.choose(src, ps)
	}
	if err == nil {
		p, err = c.plan(src, ps)
	}
	if err == nil && p.Places == 0 {
		err = c.notFound(src)
	}
	if ended := src.Work.Err(); ended != nil {
		return edits.Plan{}, ended // there may be more places
	}
	return p, err
}

// plan returns the edits that replace Old at each of ps, except for those that lie within an occurrence of New: c was
// applied there before. The plan has no Places if the new text of one of them is not known.
func (c Replace) plan(src draft.Source, ps places) (edits.Plan, error) {
	var n, within, again int
	var lines edits.ListedLines
	unresolved := false
	p, err := src.Plan(func(yield func(draft.Region) bool) {
		n, within, lines = 0, 0, edits.ListedLines{}
		for p := range ps.each {
			if p, unresolved = p.resolved(); unresolved || (n+within)%1000 == 999 && src.Work.Over() {
				return
			}
			if start, made := c.appliedAround(src, p); made && diff.UnixLines(c.Old) != diff.UnixLines(c.New) {
				within, again = within+1, start
				continue
			}
			n++
			for _, line := range p.begins(src) {
				lines.Add(line)
			}
			if !yield(p.Region) {
				return
			}
		}
	})
	switch {
	case unresolved || n+within == 0:
		return edits.Plan{}, nil
	case n == 0:
		return edits.Plan{}, edits.Errorf(edits.AlreadyApplied, "Already applied: new_str stands in %s at line %d, and old_str only as a part of it; nothing was changed.", src.Path, src.Text.LineAt(again)+1)
	case err != nil && c.Old != c.New && diff.UnixLines(c.Old) == diff.UnixLines(c.New):
		return edits.Plan{}, src.Unchanged(true)
	case err != nil:
		return edits.Plan{}, err
	}
	p.Notes, p.Places = ps.notes, n
	if within > 0 {
		p.Notes = append(slices.Clip(p.Notes), fmt.Sprintf("%s of the old text inside of the new text left alone.", edits.Count(within, "place")))
	}
	p.Message = fmt.Sprintf("Replaced %s in %s at %s.", edits.Count(n, "occurrence"), src.Path, &lines)
	return p, nil
}

// choose returns the place that the command means, of at least one.
func (c Replace) choose(src draft.Source, ps places) (places, error) {
	sent, stale := cmp.Or(c.NearLine, ps.hint), false
	// carried returns the number that is sent as it is now, if so many lines on either side are unchanged.
	carried := func(beside, below int) (now int) {
		now, lost := src.Carried(sent-beside, sent+beside+below)
		stale = stale || lost && slices.ContainsFunc(src.Texts(), func(in draft.Source) bool { return locate(in, c.Old, c.New, c.Lenient, true).areSeveral() })
		return now
	}
	number := sent
	if sent > 0 {
		number = carried(0, 0)
	}
	ps.hint = min(ps.hint, 1) * number
	all, whole := chooser{src: src, number: number}, chooser{src: src, number: number}
	wholeCounts := true // no place that is not whole lines can be meant
	for p := range ps.each {
		all.add(p)
		start := src.Text.LineStart(src.Text.LineAt(p.Start))
		switch {
		case !wholeCounts:
		case wholeLines(src, p):
			whole.add(p)
		case start < p.Start && text.IsBlank(c.Old[0]) && blank(src.Text, start, p.Start): // it is deeper than what is quoted
			wholeCounts = sent == 0
		case !strings.Contains(strings.TrimRight(c.Old, "\n"), "\n") && !cutsWords(src, p.Start, p.End):
			wholeCounts = false
		}
	}
	of := &all
	if wholeCounts && whole.n == 1 && all.n > 1 {
		of = &whole
		ps.notes = append(slices.Clip(ps.notes), "The old text stands inside of longer lines as well; the place where it is whole lines was taken.")
	}
	p, ok := of.first[0], of.n == 1
	switch {
	case ok:
		ok = ps.hint == 0 || !draft.IsFar(src.Text.LineAt(p.Start)+1, ps.hint)
	case number > 0:
		p, ok = of.nearest, of.isNearest
	}
	if ok && sent > 0 { // it is to be the nearest place in the text that was shown, too
		at := src.Text.LineAt(p.Start) + 1
		carried(max(at-number, number-at), src.Text.LineAt(max(p.Start, p.End-1))+1-at)
	}
	switch {
	case stale:
		return places{}, src.Stale(sent)
	case !ok && of.n == 1:
		// A quoted number may be from an older text, but must still be near the place.
		at := candidateAt(src, p)
		return places{}, &edits.Error{Kind: edits.NoMatch, Candidates: []edits.Candidate{at}, Message: fmt.Sprintf(
			"Text not found in %s near line %d, whose number old_str quotes; without the number it stands at line %d. Quote the lines that you mean, without numbers.",
			src.Path, ps.hint, at.StartLine)}
	case !ok:
		return places{}, of.ambiguous(c.NearLine)
	}
	ps.found = slices.Values([]occurrence{p})
	return ps, nil
}

// resolved returns the place with its new text; unresolved is set if that is not known.
func (p occurrence) resolved() (_ occurrence, unresolved bool) {
	if p.lines != nil {
		want, ok := p.lines.Want(p.at, p.Region)
		p.Want, p.unresolved = want, !ok
	}
	return p, p.unresolved
}

// begins returns the lines, from 1, at which the place begins, and its pieces if it leaves lines out.
func (p occurrence) begins(src draft.Source) []int {
	if p.Tier != edits.Anchor {
		return []int{src.Text.LineAt(p.Start) + 1}
	}
	return lists.Map(p.lines.Pieces(), func(piece int) int { return p.at + piece + 1 })
}

// appliedAround returns the start of an occurrence of New that p, a place of Old, lies within.
func (c Replace) appliedAround(src draft.Source, p occurrence) (int, bool) {
	holds := func(start, end int) bool {
		return start <= p.Start && p.End <= end+len(text.Terminator(src.Text.Slice(p.Start, p.End))) && (!cutsWords(src, start, end) || cutsWords(src, p.Start, p.End))
	}
	l, line := p.lines, p.at
	old, put := diff.UnixLines(c.Old), diff.UnixLines(c.New)
	if l == nil && strings.Contains(c.Old, "\n") && wholeLines(src, p) && strings.TrimSuffix(old, "\n") != strings.TrimSuffix(put, "\n") {
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
	if strings.Contains(put, old) {
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
		around, n := newFoldedSearch(src, c.New, c.New, p.fold, true), strings.Count(c.New, "\n")
		for q := range around.in(lines(src, max(0, src.Text.LineAt(p.Start)-n), min(src.Text.Lines(), src.Text.LineAt(p.End)+n+1))) {
			if holds(q.Start, q.End) {
				return q.Start, true
			}
		}
	}
	return 0, false
}

// chooser chooses among places, of which it keeps only those that an error needs.
type chooser struct {
	src    draft.Source
	number int // of the line, from 1, that chooses

	n         int
	first     []occurrence
	lines     edits.ListedLines
	nearest   occurrence // the first of those nearest to number
	distance  int
	isNearest bool // no other place is as near, and it is not further away than [draft.MaxDrift]
}

// add adds a place, which is below those that were added before.
func (f *chooser) add(p occurrence) {
	line := f.src.Text.LineAt(p.Start) + 1
	f.lines.Add(line)
	if f.n++; len(f.first) <= draft.MostToldApart*f.src.MostMatches() {
		f.first = append(f.first, p)
	}
	switch d := max(line-f.number, f.number-line); {
	case f.n == 1 || d < f.distance:
		f.nearest, f.distance, f.isNearest = p, d, d <= draft.MaxDrift
	case d == f.distance:
		f.isNearest = false
	}
}

// ambiguous returns the error for several places; near, if not 0, is the line that chose none of them.
func (f *chooser) ambiguous(near int) *edits.Error {
	src := f.src
	e := &edits.Error{Kind: edits.MultipleMatches, Count: f.n, At: f.lines.String()}
	for _, p := range f.first[:min(f.n, src.MostMatches())] {
		at := src.Text.Position(p.Start, text.UTF32)
		column := at.Character + 1
		if at.Line == 0 && src.Text.BOM() > 0 {
			column = max(column-1, 1) // the byte order mark is in no line
		}
		e.Matches = append(e.Matches, edits.Match{Line: src.Text.LineAt(p.Start) + 1, Column: column})
	}
	draft.TellApart(src, lists.Map(f.first, func(p occurrence) draft.Region { return p.Region }), e.Matches)
	as := ""
	if tier := f.first[0].Tier; tier != edits.Exact {
		as = fmt.Sprintf(" (by the tier %s)", tier)
	}
	advice := "or set near_line or replace_all."
	if near > 0 {
		advice = fmt.Sprintf("or send the number of the line that you mean: near_line %d is not nearest to just one of them, within %d lines.", near, draft.MaxDrift)
	}
	e.Message = fmt.Sprintf("Text occurs %d times in %s, at %s%s; add lines around it to old_str so that it is unique, %s%s",
		f.n, src.Path, e.At, as, advice, src.Unlisted(f.n))
	return e
}
