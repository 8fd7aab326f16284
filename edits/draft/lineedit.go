package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// LineChange replaces the lines [from,to), from 0, by lines.
type LineChange struct {
	From, To int
	Lines    []string // without terminators
	End      finalEnd
	// Ends, if not nil, are the terminators of lines, which then are written as
	// they are; else new lines take those of their neighbours.
	Ends []string
}

// finalEnd says how a text that a change is at the end of is to end.
type finalEnd uint8

const (
	keepFinalEnd finalEnd = iota
	// WithFinalEnd is with a line end.
	WithFinalEnd
	// NoFinalEnd is without one.
	NoFinalEnd
)

// PlanLines plans line changes; see lineRegions.
func (src Source) PlanLines(changes []LineChange) (edits.Plan, error) {
	return src.Plan(src.LineRegions(changes))
}

// LineRegions returns the regions of line changes that are sorted and disjoint;
// several insertions at one place keep their order. Changes that touch become one
// region: only then is it right to say which line ends the document.
func (src Source) LineRegions(changes []LineChange) []Region {
	t, n := src.Text, src.Text.Lines()
	terminated := n == 0 || t.Line(n-1).End < t.Line(n-1).Next
	regions := make([]Region, 0, len(changes))
	for i := 0; i < len(changes); {
		from, to := changes[i].From, changes[i].To
		lines, ends, end := slices.Clip(changes[i].Lines), slices.Clip(changes[i].Ends), changes[i].End
		for i++; i < len(changes) && changes[i].From == to; i++ {
			to = changes[i].To
			lines = append(lines, changes[i].Lines...)
			ends = append(ends, changes[i].Ends...)
			end = max(end, changes[i].End)
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
			if end == WithFinalEnd {
				want += "\n"
			}
		case end == WithFinalEnd, end == keepFinalEnd && (to < n || terminated):
			want += "\n"
		}
		r := Region{Start: t.LineStart(from), End: LineEnd(t, from, to), Want: want, Tier: edits.Exact}
		if len(ends) == len(lines) && len(lines) > 0 && (from < n || n == 0) {
			r.Want, r.raw = joinEnds(lines, ends, diff.EndsLine(want)), true
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

// SortChanges orders changes by place; an insertion goes before the replacement
// of the line that it names, and insertions at one place keep their order.
func SortChanges(changes []LineChange) {
	slices.SortStableFunc(changes, CompareChanges)
}

// CompareChanges orders changes as [SortChanges] does.
func CompareChanges(a, b LineChange) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(min(a.To-a.From, 1), min(b.To-b.From, 1)))
}

// CountLines words how many lines the changes add and remove; lines at their ends
// that stay are neither.
func (src Source) CountLines(changes []LineChange) string {
	added, removed := 0, 0
	for _, ch := range changes {
		from, to, lines := ch.From, ch.To, ch.Lines
		for from < to && len(lines) > 0 && src.LineAt(from) == lines[0] {
			from, lines = from+1, lines[1:]
		}
		for from < to && len(lines) > 0 && src.LineAt(to-1) == lines[len(lines)-1] {
			to, lines = to-1, lines[:len(lines)-1]
		}
		added += len(lines)
		removed += to - from
	}
	return fmt.Sprintf("%s added, %d removed", edits.Count(added, "line"), removed)
}

// Overlap returns the line, from 1, that two of the sorted changes both change,
// 0 if there is none.
func Overlap(changes []LineChange) int {
	for i := 1; i < len(changes); i++ {
		if changes[i].From < changes[i-1].To {
			return changes[i].From + 1
		}
	}
	return 0
}

// LineEnd returns the offset after the lines [from,to).
func LineEnd(t text.Text, from, to int) int {
	if from == to {
		return t.LineStart(from)
	}
	return t.Line(to - 1).Next
}

// ContentLines splits a command's content into lines. Its last line end may be
// left out. Empty content is one empty line if it is inserted, else none.
func ContentLines(content string, inserted bool) []string {
	if content == "" && !inserted {
		return nil
	}
	return strings.Split(strings.TrimSuffix(diff.UnixLines(content), "\n"), "\n")
}

// CheckRange reports what is wrong with the lines [start,end], from 1.
func (src Source) CheckRange(start, end int, startName, endName string) error {
	n := src.Text.Lines()
	switch {
	case start < 1:
		return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("%s must be 1 or more: lines are counted from 1.", startName)}
	case end < start:
		return &edits.Error{Kind: edits.InvalidRange, Message: fmt.Sprintf("%s must be >= %s: %d is before %d.", endName, startName, end, start)}
	case start > n:
		return src.NoLine(start)
	case end > n:
		return src.NoLine(end)
	}
	return nil
}

// NoLine is the error for a line, from 1, that the text does not have.
func (src Source) NoLine(line int) *edits.Error {
	n := src.Text.Lines()
	e := &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf("Line %d does not exist in file with %s: %s.", line, edits.Count(n, "line"), src.Path)}
	if n > 0 {
		e.Snippet = edits.Numbered(src.Text, max(1, n-4), n)
	}
	return e
}
