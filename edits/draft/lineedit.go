package draft

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// LineChange replaces the lines [From,To), from 0, with Lines.
type LineChange struct {
	From, To int
	Lines    []string // without terminators
	End      finalEnd
	// Ends, if not nil, are the terminators of Lines, which are written as they
	// are. Otherwise new lines take the terminators of their neighbours.
	Ends []string
}

// finalEnd says how a text is to end after a change at its end.
type finalEnd uint8

const (
	keepFinalEnd finalEnd = iota
	// WithFinalEnd ends the text with a line end.
	WithFinalEnd
	// NoFinalEnd ends the text without a line end.
	NoFinalEnd
)

// LineRegions yields the regions of line changes that are sorted and disjoint; several insertions at one place keep their
// order. Changes that touch become one region, since only then is it known which line ends the document.
func (src Source) LineRegions(changes []LineChange) iter.Seq[Region] {
	return func(yield func(Region) bool) {
		for i := 0; i < len(changes); {
			c := changes[i]
			c.Lines, c.Ends = slices.Clip(c.Lines), slices.Clip(c.Ends)
			for i++; i < len(changes) && changes[i].From == c.To; i++ {
				c.To, c.End = changes[i].To, max(c.End, changes[i].End)
				c.Lines, c.Ends = append(c.Lines, changes[i].Lines...), append(c.Ends, changes[i].Ends...)
			}
			if !yield(src.lineRegion(c)) {
				return
			}
		}
	}
}

// lineRegion returns the region of a change that no other one touches.
func (src Source) lineRegion(c LineChange) Region {
	t, n := src.Text, src.Text.Lines()
	r := Region{Start: t.LineStart(c.From), End: t.LineStart(c.To), Tier: edits.Exact}
	if len(c.Lines) == 0 {
		return r
	}
	terminated := n == 0 || t.Terminator() != ""
	ended := terminated || c.To < n
	if c.To == n && c.End != keepFinalEnd { // the change ends the text
		ended = c.End == WithFinalEnd
	}
	r.raw = len(c.Ends) == len(c.Lines) && (c.From < n || n == 0)
	var b strings.Builder
	if c.From == n && !terminated {
		b.WriteByte('\n') // an unterminated last line gets a terminator
	}
	for i, l := range c.Lines {
		if c.From == 0 && i == 0 {
			l = strings.TrimPrefix(l, text.BOM) // the text keeps its own mark, and has only one
		}
		b.WriteString(l)
		switch {
		case i+1 == len(c.Lines) && !ended:
		case r.raw:
			b.WriteString(c.Ends[i])
		default:
			b.WriteByte('\n')
		}
	}
	r.Want = b.String()
	return r
}

// CompareChanges orders changes by place, for a stable sort; an insertion goes before the
// replacement of the line that it names.
func CompareChanges(a, b LineChange) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(min(a.To-a.From, 1), min(b.To-b.From, 1)))
}

// ContentLines splits a command's content into lines. Its last line end may be left out. Empty content is one empty line.
func ContentLines(content string) []string {
	return strings.Split(strings.TrimSuffix(diff.UnixLines(content), "\n"), "\n")
}

// CheckRange reports what is wrong with the lines [start,end], from 1.
func (src Source) CheckRange(start, end int, startName, endName string) error {
	n := src.Text.Lines()
	switch {
	case start < 1:
		return edits.Errorf(edits.InvalidParams, "%s must be 1 or more: lines are counted from 1.", startName)
	case end < start:
		return edits.Errorf(edits.InvalidRange, "%s must be >= %s: %d is before %d.", endName, startName, end, start)
	case start > n:
		return src.NoLine(start)
	case end > n:
		return src.NoLine(end)
	}
	return nil
}

// NoLine returns the error for a line, from 1, that the text does not have.
func (src Source) NoLine(line int) *edits.Error {
	n := src.Text.Lines()
	e := edits.Errorf(edits.LineOutOfRange, "Line %d does not exist in file with %s: %s.", line, edits.Count(n, "line"), src.Path)
	if n > 0 {
		e.Snippet = edits.Numbered(src.Text, max(1, n-4), n)
	}
	return e
}
