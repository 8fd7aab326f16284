package edits

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Replace is the command str_replace.
type Replace struct {
	Old, New string
	All      bool // every occurrence, else exactly one
	NearLine int  // from 1: take the occurrence nearest to this line; 0 = none
	Lenient  bool // the tiers below Exact count as well
}

// Plan returns the edits that replace the occurrence of Old, or all of them. The
// first tier at which Old stands anywhere is the one that counts. More than one
// occurrence there without All is MultipleMatches, overlapping ones included,
// unless NearLine tells them apart.
func (c Replace) Plan(src Source) (Plan, error) {
	if c.Old == "" {
		return Plan{}, &Error{Kind: InvalidParams, Message: "old_str must not be empty; " +
			"to add text, use insert with a line number, or quote a neighbouring line in old_str and repeat it in new_str."}
	}
	if c.All && c.NearLine > 0 {
		return Plan{}, &Error{Kind: InvalidParams, Message: "replace_all takes every occurrence and near_line one: send one of them."}
	}
	if err := checkElided(c.Old, c.New); err != nil {
		return Plan{}, err
	}
	places, err := c.places(src)
	if err != nil {
		return Plan{}, err
	}
	regions := make([]region, len(places))
	lines := make([]int, len(places))
	var notes []string
	for i, p := range places {
		regions[i] = p.region
		lines[i] = src.Text.LineAt(p.start) + 1
		if i == 0 {
			notes = p.notes
		}
	}
	p, err := src.plan(regions)
	if err != nil {
		return Plan{}, err
	}
	p.Notes = notes
	n := len(places)
	if places[0].tier == Anchor {
		n = 1 // the pieces around what was left out are one occurrence
	}
	p.Places = n
	p.Message = fmt.Sprintf("Replaced %s in %s at %s.", Count(n, "occurrence"), src.Path, lineList(lines))
	return p, nil
}

// places returns the regions to change, each of which stands for an occurrence.
func (c Replace) places(src Source) ([]found, error) {
	places, hint := src.locate(c.Old, c.New, c.Lenient, !c.All)
	switch {
	case len(places) == 0 && c.Lenient:
		if pieces, ok := src.locateElided(c.Old, c.New); ok {
			return pieces, nil
		}
		return nil, c.notFound(src)
	case len(places) == 0:
		return nil, c.notFound(src)
	case len(places) == 1 || (c.All && !anyUntold(places)):
		return places, nil
	}
	if c.NearLine > 0 {
		nearest, ok := nearestPlace(src, places, c.NearLine)
		if !ok || nearest.untold {
			return nil, tied(src, places, c.NearLine)
		}
		return []found{nearest}, nil
	}
	if nearest, ok := nearestPlace(src, places, hint); ok && !nearest.untold {
		return []found{nearest}, nil
	}
	return nil, ambiguous(src, places)
}

// maxDrift is how many lines a place may be from the line number that chooses it: one
// that was counted on an older text is off by less, as a rule, and one that is off by
// more may be nearest to any place.
const maxDrift = 10

func abs(n int) int { return max(n, -n) }

func anyUntold(places []found) bool {
	return slices.ContainsFunc(places, func(p found) bool { return p.untold })
}

// tied is the error where near_line does not decide.
func tied(src Source, places []found, near int) *Error {
	e := ambiguous(src, places)
	best, lines, all := -1, []int{}, []int{}
	for _, p := range places {
		line := src.Text.LineAt(p.start) + 1
		all = append(all, line)
		switch d := abs(line - near); {
		case best < 0 || d < best:
			best, lines = d, []int{line}
		case d == best:
			lines = append(lines, line)
		}
	}
	if best > maxDrift {
		e.Message = fmt.Sprintf("Text occurs %d times in %s, at %s, and near_line %d is not within %d lines of any of them: send the number of the line that you mean, or more of the text around it.",
			len(places), src.Path, lineList(all), near, maxDrift)
		return e
	}
	e.Message = fmt.Sprintf("Text occurs %d times in %s, at %s; near_line %d does not decide between %s: send the number of the line that you mean, or more of the text around it.",
		len(places), src.Path, lineList(all), near, lineList(lines))
	return e
}

// nearestPlace returns the place that a line number, from 1, chooses.
func nearestPlace(src Source, places []found, line int) (nearest found, ok bool) {
	if line == 0 {
		return found{}, false
	}
	lines := make([]int, len(places))
	for i, p := range places {
		lines[i] = src.Text.LineAt(p.start) + 1
	}
	i, ok := nearestLine(lines, line)
	if !ok {
		return found{}, false
	}
	return places[i], true
}

// nearestLine returns which of some lines a number chooses: the one that is strictly
// nearest to it, if that is not further than maxDrift.
func nearestLine(lines []int, number int) (i int, ok bool) {
	best := maxDrift + 1
	for k, line := range lines {
		switch d := abs(line - number); {
		case d < best:
			i, ok, best = k, true, d
		case d == best:
			ok = false
		}
	}
	return i, ok
}

func ambiguous(src Source, places []found) *Error {
	e := &Error{Kind: MultipleMatches}
	var lines []int
	for i, p := range places {
		line := src.Text.LineAt(p.start)
		lines = append(lines, line+1)
		if i < src.mostMatches() {
			start := min(src.Text.LineStart(line), p.start)
			column := utf8.RuneCountInString(src.Text.Slice(start, p.start)) + 1
			e.Matches = append(e.Matches, Match{Line: line + 1, Column: column})
		}
	}
	tellApart(src, places, e.Matches)
	as := ""
	if tier := places[0].tier; tier != Exact {
		as = fmt.Sprintf(" (by the tier %s)", tier)
	}
	e.Message = fmt.Sprintf("Text occurs %d times in %s, at %s%s; add lines around it to old_str so that it is unique, or set near_line or replace_all.%s",
		len(places), src.Path, lineList(lines), as, src.unlisted(len(lines)))
	return e
}

// tellApart adds to each match a line of its surroundings that none of the
// others has in the same place, where there is one within three lines.
func tellApart(src Source, places []found, matches []Match) {
	const far = 3
	if len(places) > 10*src.mostMatches() {
		return
	}
	t := src.Text
	for distance := 1; distance <= far; distance++ {
		for _, side := range []int{-1, 1} {
			seen := map[string]int{}
			at := make([]int, len(places))
			for i, p := range places {
				at[i] = t.LineAt(p.start) - distance
				if side > 0 {
					at[i] = t.LineAt(max(p.start, p.end-1)) + distance
				}
				seen[lineAt(src, at[i])]++
			}
			for i := range matches {
				line := lineAt(src, at[i])
				if matches[i].Context == nil && seen[line] == 1 && strings.TrimSpace(line) != "" {
					matches[i].Context = &ContextLine{Line: at[i] + 1, Text: line}
				}
			}
		}
	}
}

// lineAt returns the content of line i, from 0; "" if there is none.
func lineAt(src Source, i int) string {
	if i < 0 || i >= src.Text.Lines() {
		return ""
	}
	l := src.Text.Line(i)
	return src.Text.Slice(l.Start, l.End)
}
