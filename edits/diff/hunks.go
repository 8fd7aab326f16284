package diff

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Hunks returns a hunk for each run of changed lines.
func Hunks(es edits.Edits, before text.Text) []edits.Hunk {
	after := es.Apply(before)
	hs := make([]edits.Hunk, 0, len(es))
	for shift := 0; len(es) > 0; {
		n := 1
		for n < len(es) && before.LineAt(es[n].Start) == before.LineAt(es[n-1].End) {
			n++
		}
		delta := es[:n].Delta()
		hs = append(hs, hunkOf(before, after, es[0].Start, es[n-1].End, shift, delta))
		shift, es = shift+delta, es[n:]
	}
	return hs
}

// HunkNumbers returns for each edit of the plan, which is of t, the number of its hunk
// from 1.
func HunkNumbers(p edits.Plan, t text.Text) []int {
	starts := make([]int, len(p.Hunks)) // of the lines of before
	grown := 0
	for i, h := range p.Hunks {
		starts[i] = t.LineStart(min(h.StartLine-1-grown, t.Lines()))
		grown += h.NewLines - h.OldLines
	}
	numbers := make([]int, len(p.Edits))
	n := 1
	for i, e := range p.Edits {
		// That of a last line may take the line end before it along.
		for n < len(starts) && max(e.Start, e.End-1) >= starts[n] {
			n++
		}
		numbers[i] = n
	}
	return numbers
}

// PlanOf returns es, which are of t, as a plan without words.
func PlanOf(t text.Text, es edits.Edits) edits.Plan {
	return edits.Plan{Edits: es, Hunks: Hunks(es, t)}
}

// hunkOf widens [start,end) to whole lines. In after the range begins shift bytes
// later and is delta bytes longer.
func hunkOf(before, after text.Text, start, end, shift, delta int) edits.Hunk {
	first := before.LineAt(start)
	from := min(before.LineStart(first), start)
	whole := func(t text.Text, off int) bool {
		return off == t.LineStart(t.LineAt(off))
	}
	if start != from || !whole(before, end) || !whole(after, end+shift+delta) {
		if last := before.LineAt(end); last < before.Lines() {
			end = before.Line(last).Next
		}
	}
	lines := func(t text.Text, start, end int) int {
		if start >= end {
			return 0
		}
		return t.LineAt(end-1) - t.LineAt(start) + 1
	}
	h := edits.Hunk{
		StartLine: after.LineAt(from+shift) + 1,
		OldLines:  lines(before, from, end),
		NewLines:  lines(after, from+shift, end+shift+delta),
		Match:     edits.Exact,
	}
	h.EndLine = h.StartLine + h.NewLines - 1
	return h
}

// HasBOM reports whether a text begins with a mark of byte order.
func HasBOM(t text.Text) bool {
	return t.Len() >= len(text.BOM) && t.Slice(0, len(text.BOM)) == text.BOM
}
