package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// lineChange replaces the lines [from,to), from 0, by lines.
type lineChange struct {
	from, to int
	lines    []string // without terminators
	end      finalEnd
	// ends, if not nil, are the terminators of lines, which then are written as
	// they are; else new lines take those of their neighbours.
	ends []string
	by   int // of a patch, the number of the hunk
}

// finalEnd says how a text that a change is at the end of is to end.
type finalEnd uint8

const (
	keepFinalEnd finalEnd = iota
	withFinalEnd          // with a line end
	noFinalEnd            // without one
)

// planLines plans line changes; see lineRegions.
func (src source) planLines(changes []lineChange) (edits.Plan, error) {
	return src.plan(src.lineRegions(changes))
}

// lineRegions returns the regions of line changes that are sorted and disjoint;
// several insertions at one place keep their order. Changes that touch become one
// region: only then is it right to say which line ends the document.
func (src source) lineRegions(changes []lineChange) []region {
	t, n := src.Text, src.Text.Lines()
	terminated := n == 0 || t.Line(n-1).End < t.Line(n-1).Next
	regions := make([]region, 0, len(changes))
	for i := 0; i < len(changes); {
		from, to := changes[i].from, changes[i].to
		lines, ends, end := slices.Clip(changes[i].lines), slices.Clip(changes[i].ends), changes[i].end
		for i++; i < len(changes) && changes[i].from == to; i++ {
			to = changes[i].to
			lines = append(lines, changes[i].lines...)
			ends = append(ends, changes[i].ends...)
			end = max(end, changes[i].end)
		}
		if to < n {
			end = keepFinalEnd // another line ends the text
		}
		if from == 0 && len(lines) > 0 {
			lines = slices.Clone(lines)
			lines[0] = strings.TrimPrefix(lines[0], text.BOM) // the text's own stays, and is the only one
		}
		want := strings.Join(lines, "\n")
		switch {
		case len(lines) == 0:
		case from == n && !terminated: // after an unterminated last line, which gets a terminator
			want = "\n" + want
			if end == withFinalEnd {
				want += "\n"
			}
		case end == withFinalEnd, end == keepFinalEnd && (to < n || terminated):
			want += "\n"
		}
		r := region{start: t.LineStart(from), end: lineEnd(t, from, to), want: want, tier: edits.Exact}
		if len(ends) == len(lines) && len(lines) > 0 && (from < n || n == 0) {
			r.want, r.raw = joinEnds(lines, ends, diff.EndsLine(want)), true
		}
		regions = append(regions, r)
	}
	return regions
}

// joinEnds returns lines with their ends; the last one has none unless ended.
func joinEnds(lines, ends []string, ended bool) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(l)
		if i+1 < len(lines) || ended {
			b.WriteString(ends[i])
		}
	}
	return b.String()
}

// sortChanges orders changes by place; an insertion goes before the replacement
// of the line that it names, and insertions at one place keep their order.
func sortChanges(changes []lineChange) {
	slices.SortStableFunc(changes, compareChanges)
}

func compareChanges(a, b lineChange) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(min(a.to-a.from, 1), min(b.to-b.from, 1)))
}

// countLines words how many lines the changes add and remove; lines at their ends
// that stay are neither.
func (src source) countLines(changes []lineChange) string {
	added, removed := 0, 0
	for _, ch := range changes {
		from, to, lines := ch.from, ch.to, ch.lines
		for from < to && len(lines) > 0 && lineAt(src, from) == lines[0] {
			from, lines = from+1, lines[1:]
		}
		for from < to && len(lines) > 0 && lineAt(src, to-1) == lines[len(lines)-1] {
			to, lines = to-1, lines[:len(lines)-1]
		}
		added += len(lines)
		removed += to - from
	}
	return fmt.Sprintf("%s added, %d removed", edits.Count(added, "line"), removed)
}

// overlap returns the line, from 1, that two of the sorted changes both change,
// 0 if there is none.
func overlap(changes []lineChange) int {
	for i := 1; i < len(changes); i++ {
		if changes[i].from < changes[i-1].to {
			return changes[i].from + 1
		}
	}
	return 0
}

// lineEnd returns the offset after the lines [from,to).
func lineEnd(t text.Text, from, to int) int {
	if from == to {
		return t.LineStart(from)
	}
	return t.Line(to - 1).Next
}

// contentLines splits a command's content into lines. Its last line end may be
// left out. Empty content is one empty line if it is inserted, else none.
func contentLines(content string, inserted bool) []string {
	if content == "" && !inserted {
		return nil
	}
	return strings.Split(strings.TrimSuffix(unixLines(content), "\n"), "\n")
}

// checkRange reports what is wrong with the lines [start,end], from 1.
func (src source) checkRange(start, end int, startName, endName string) error {
	n := src.Text.Lines()
	switch {
	case start < 1:
		return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("%s must be 1 or more: lines are counted from 1.", startName)}
	case end < start:
		return &edits.Error{Kind: edits.InvalidRange, Message: fmt.Sprintf("%s must be >= %s: %d is before %d.", endName, startName, end, start)}
	case start > n:
		return src.noLine(start)
	case end > n:
		return src.noLine(end)
	}
	return nil
}

func (src source) noLine(line int) *edits.Error {
	n := src.Text.Lines()
	e := &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf("Line %d does not exist in file with %s: %s.", line, edits.Count(n, "line"), src.Path)}
	if n > 0 {
		e.Snippet = edits.Numbered(src.Text, max(1, n-4), n)
	}
	return e
}
