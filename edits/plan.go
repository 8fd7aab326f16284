package edits

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Source is what a command is planned on: a text, and the path by which
// messages call it.
type Source struct {
	Path string
	Text text.Text
}

// Tier names the way in which a place was found (contract 3.1).
type Tier string

// Anchor is the tier of a place that is told by text around it.
const Anchor Tier = "anchor"

// Exact is the tier of text that is there byte for byte, a line end in a
// command standing for whatever line end the document has.
const Exact Tier = "exact"

// Plan is what a command comes to on one text.
type Plan struct {
	Edits   Edits
	Hunks   []Hunk   // by place
	Notes   []string // every leniency that was used
	Message string   // one sentence, as the contract words it
}

// Hunk is one change of a plan in whole lines. StartLine and EndLine are those
// of the new text, from 1 and inclusive; EndLine is StartLine-1 where lines
// were only deleted.
type Hunk struct {
	StartLine, EndLine int
	OldLines, NewLines int
	Match              Tier
}

// region asks for [start,end) of a text to become want, whose line ends are
// "\n" for "a line end" (see Rewrite).
type region struct {
	start, end int
	want       string
	tier       Tier
}

// plan turns regions, sorted and disjoint, into edits and hunks. It is an error
// if nothing would change.
func (src Source) plan(regions []region) (Plan, error) {
	var p Plan
	type span struct{ start, end, delta int }
	spans := make([]span, len(regions))
	p.Edits = make(Edits, 0, len(regions))
	var es Edits // of the last region that was not like the one before it
	var from int // where that began
	for i, r := range regions {
		if i == 0 || !src.alike(regions[i-1], r) {
			es, from = Rewrite(src.Text, r.start, r.end, r.want), r.start
		}
		spans[i] = span{r.start, r.end, es.Delta()}
		for _, e := range es {
			by := r.start - from
			p.Edits = append(p.Edits, Edit{e.Start + by, e.End + by, e.New})
		}
	}
	p.Edits = coalesce(p.Edits)
	if len(p.Edits) == 0 {
		return Plan{}, &Error{Kind: NoChange, Message: fmt.Sprintf(
			"Nothing would change in %s: it already reads as the new text says.", src.Path)}
	}
	after, shift := p.Edits.Apply(src.Text), 0
	p.Hunks = make([]Hunk, 0, len(spans))
	for i, s := range spans {
		p.Hunks = append(p.Hunks, hunk(src.Text, after, s.start, s.end, shift, s.delta, regions[i].tier))
		shift += s.delta
	}
	return p, nil
}

// alike reports whether two regions ask for the same change of the same text,
// and nothing around them can make a difference: what has no line end in it is
// not widened and takes none over.
func (src Source) alike(a, b region) bool {
	return a.want == b.want && a.end-a.start == b.end-b.start && a.start < a.end &&
		src.Text.Slice(a.start, a.end) == src.Text.Slice(b.start, b.end) &&
		!strings.ContainsAny(a.want, "\r\n") && !strings.ContainsAny(src.Text.Slice(a.start, a.end), "\r\n")
}

// hunk widens [start,end) to whole lines. In after the range begins shift bytes
// later and is delta bytes longer.
func hunk(before, after text.Text, start, end, shift, delta int, tier Tier) Hunk {
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
	h := Hunk{
		StartLine: after.LineAt(from+shift) + 1,
		OldLines:  lines(before, from, end),
		NewLines:  lines(after, from+shift, end+shift+delta),
		Match:     tier,
	}
	h.EndLine = h.StartLine + h.NewLines - 1
	return h
}

// coalesce joins edits that touch, in the memory of es.
func coalesce(es Edits) Edits {
	out := es[:0]
	for _, e := range es {
		if n := len(out); n > 0 && out[n-1].End == e.Start {
			out[n-1].End = e.End
			out[n-1].New += e.New
			continue
		}
		out = append(out, e)
	}
	return out
}
