package edits

import (
	"fmt"
	"unicode/utf8"
)

// Replace is the command str_replace.
type Replace struct {
	Old, New string
	All      bool // every occurrence, else exactly one
	NearLine int  // from 1: take the occurrence nearest to this line; 0 = none
}

// Plan returns the edits that replace the occurrence of Old, or all of them. A
// line end in Old matches "\n" and "\r\n". More than one occurrence without All
// is MultipleMatches, overlapping ones included, unless NearLine tells them
// apart.
func (c Replace) Plan(src Source) (Plan, error) {
	if c.Old == "" {
		return Plan{}, &Error{Kind: InvalidParams, Message: "old_str must not be empty; " +
			"to add text, use insert with a line number, or quote a neighbouring line in old_str and repeat it in new_str."}
	}
	old := unixLines(c.Old)
	v := newView(src.Text, old)
	places := indexAll(v.s, old, !c.All)
	if len(places) == 0 {
		return Plan{}, &Error{Kind: NoMatch, Message: fmt.Sprintf(
			"Text not found in %s: old_str must be there exactly as sent, blanks and line breaks included. View the file and copy the text from it.", src.Path)}
	}
	if !c.All && len(places) > 1 {
		nearest, ok := c.nearest(src, v, places)
		if !ok {
			return Plan{}, c.ambiguous(src, v, places)
		}
		places = []int{nearest}
	}
	regions := make([]region, len(places))
	lines := make([]int, len(places))
	for i, at := range places {
		regions[i] = region{v.offset(at), v.offset(at + len(old)), c.New, Exact}
		lines[i] = src.Text.LineAt(regions[i].start) + 1
	}
	p, err := src.plan(regions)
	if err != nil {
		return Plan{}, err
	}
	p.Message = fmt.Sprintf("Replaced %s in %s at %s.", Count(len(places), "occurrence"), src.Path, lineList(lines))
	return p, nil
}

// nearest returns the place that is strictly nearest to NearLine.
func (c Replace) nearest(src Source, v view, places []int) (at int, ok bool) {
	if c.NearLine == 0 {
		return 0, false
	}
	best := -1
	for _, p := range places {
		d := src.Text.LineAt(v.offset(p)) + 1 - c.NearLine
		if d < 0 {
			d = -d
		}
		switch {
		case best < 0 || d < best:
			at, ok, best = p, true, d
		case d == best:
			ok = false
		}
	}
	return at, ok
}

// maxMatches bounds the places that an error lists.
const maxMatches = 100

func (c Replace) ambiguous(src Source, v view, places []int) *Error {
	e := &Error{Kind: MultipleMatches}
	var lines []int
	for i, p := range places {
		off := v.offset(p)
		line := src.Text.LineAt(off)
		lines = append(lines, line+1)
		if i < maxMatches {
			column := utf8.RuneCountInString(src.Text.Slice(src.Text.LineStart(line), off)) + 1
			e.Matches = append(e.Matches, Match{line + 1, column})
		}
	}
	e.Message = fmt.Sprintf("Text occurs %d times in %s, at %s; add lines around it to old_str so that it is unique, or set near_line or replace_all.",
		len(places), src.Path, lineList(lines))
	return e
}
