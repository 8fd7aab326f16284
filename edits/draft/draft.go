package draft

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
)

// Region asks for [Start,End) of a text to become Want, in which "\n" stands for any line end (see [diff.Rewrite]).
type Region struct {
	Start, End int
	Want       string
	Tier       edits.Tier
	raw        bool // the line ends in Want are written as they are
}

// edits returns the edits that turn the region into Want.
func (r Region) edits(t text.Text) edits.Edits {
	if !r.raw {
		return diff.Rewrite(t, r.Start, r.End, r.Want)
	}
	was := t.Slice(r.Start, r.End)
	p, q := diff.CommonEnds(was, r.Want)
	if p+q == len(was) && p+q == len(r.Want) {
		return nil
	}
	return edits.Edits{{Start: r.Start + p, End: r.End - q, New: r.Want[p : len(r.Want)-q]}}
}

// Plan turns regions, sorted and disjoint, into edits and hunks. It returns an error if nothing would change, or if the new
// text of a region leaves something out. The regions are asked for more than once.
func (src Source) Plan(regions iter.Seq[Region]) (edits.Plan, error) {
	var tier edits.Tier // of all of them
	es, err := src.Draft(func(yield func(Region) bool) {
		for r := range regions {
			if tier = r.Tier; !yield(r) {
				return
			}
		}
	})
	if err != nil {
		return edits.Plan{}, err
	}
	p := diff.PlanOf(src.Text, es)
	for i := range p.Hunks {
		p.Hunks[i].Match = tier
	}
	return p, nil
}

// Draft turns regions into edits, as [Source.Plan] does. More than [diff.MaxEdits] are joined
// into one, from the first to the last.
func (src Source) Draft(regions iter.Seq[Region]) (edits.Edits, error) {
	var out edits.Edits
	var all edits.Edit // of all edits, New excepted
	n, bytes := 0, 0   // of all edits
	inOrder := true
	for r := range regions {
		if r.Start < r.End {
			if err := src.CheckElided(r.Start, r.End, r.Want); err != nil {
				return nil, err
			}
		}
		for _, e := range r.edits(src.Text) {
			if n == 0 {
				all = e
			} else if e.Start < all.End {
				inOrder = false // a lone "\r" can make regions overlap
			}
			all.End = e.End
			if n, bytes = n+1, bytes+len(e.New); bytes > edits.MaxNew {
				return nil, edits.Errorf(edits.TooLarge, "The new text for %s has more than %d bytes; nothing was changed. Send it in parts.", src.Path, edits.MaxNew)
			}
			if n <= diff.MaxEdits {
				out = append(out, e)
			}
		}
	}
	switch {
	case n == 0:
		return nil, src.Unchanged(false)
	case !inOrder: // rewrite all regions as one
		whole := src.joined(regions, 0, func(r Region) edits.Edits { return edits.Edits{{Start: r.Start, End: r.End, New: r.Want}} })
		if out = diff.Rewrite(src.Text, whole.Start, whole.End, whole.New); len(out) == 0 {
			return nil, src.Unchanged(false)
		}
		return out, nil
	case n > diff.MaxEdits:
		return edits.Edits{src.joined(regions, all.End-all.Start+bytes, func(r Region) edits.Edits { return r.edits(src.Text) })}, nil
	}
	return edits.Coalesce(out), nil
}

// joined returns one edit, from the first to the last of those that of returns for the regions. Its new text has about size bytes.
func (src Source) joined(regions iter.Seq[Region], size int, of func(Region) edits.Edits) (all edits.Edit) {
	var b strings.Builder
	b.Grow(size)
	all.Start = -1
	for r := range regions {
		for _, e := range of(r) {
			if all.Start < 0 {
				all.Start, all.End = e.Start, e.Start
			}
			b.WriteString(src.Text.Slice(all.End, e.Start))
			b.WriteString(e.New)
			all.End = e.End
		}
	}
	all.New = b.String()
	return all
}

// Unchanged returns the error for a command that would change nothing, or nothing but line ends.
func (src Source) Unchanged(onlyEnds bool) error {
	why := "it already reads as the new text says."
	if onlyEnds {
		why = `only line ends differ, and those of a text are kept. Where the editor holds both kinds in one text, a unified diff that shows both ("\r\n" and "\n") changes them.`
	}
	return edits.Errorf(edits.NoChange, "Nothing would change in %s: %s", src.Path, why)
}

// IsProse reports whether the text is no code, as the name of its file says.
func (src Source) IsProse() bool {
	return slices.Contains([]string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".org", ".txt"}, strings.ToLower(path.Ext(src.Path)))
}

// CheckElided returns an error if put, the new text of [start,end), has a line that stands for text left out. In prose such
// a line is text.
func (src Source) CheckElided(start, end int, put string) error {
	if src.IsProse() {
		return nil
	}
	line, ok := elision.Find(func() string { return src.Text.Slice(0, start) }, src.Text.Slice(start, end), put)
	if !ok {
		return nil
	}
	return edits.Errorf(edits.Placeholder, "The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; "+
		"send the text in full. If you mean that line itself, first add it by a call that takes no line out.", line)
}

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
