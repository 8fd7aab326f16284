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
	// Candidates and Matches bound how many places an error offers and lists; 0 is 3 and
	// 100.
	Candidates, Matches int
	Work                *Work      // what may be done to plan it
	seen                *seenLines // what is known of the lines, maybe those of another text; nil for nothing
}

// Tier names the way in which a place was found (docs/matching.md).
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
	Places  int      // of a replacement, the occurrences; several may share a Hunk
	Notes   []string // every leniency that was used
	Message string   // one sentence, as the contract words it
}

// PlanOf returns es, which are of t, as a plan without words.
func PlanOf(t text.Text, es Edits) Plan { return Plan{Edits: es, Hunks: es.hunks(t)} }

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
	raw        bool // the line ends in want are meant as they are
}

// edits returns the edits that make the region what it is to be.
func (r region) edits(t text.Text) Edits {
	if !r.raw {
		if es, ok := r.editsOfLine(t); ok {
			return es
		}
		part, by := near(t, r.start, r.end)
		return Rewrite(part, r.start-by, r.end-by, r.want).Shifted(by)
	}
	was := t.Slice(r.start, r.end)
	p, q := commonEnds(was, r.want)
	if p+q == len(was) && p+q == len(r.want) {
		return nil
	}
	return Edits{{r.start + p, r.end - q, r.want[p : len(r.want)-q]}}
}

// editsOfLine is edits for a region that is one line and stays one, of which there
// are most: nothing around it makes a difference.
func (r region) editsOfLine(t text.Text) (Edits, bool) {
	isLine := func(s string) bool {
		return strings.IndexByte(s, '\n') == len(s)-1 && s != "" && strings.IndexByte(s, '\r') < 0
	}
	if !isLine(r.want) || r.start == 0 || t.Slice(r.start-1, r.start) != "\n" {
		return nil, false
	}
	was := t.Slice(r.start, r.end)
	if !isLine(was) {
		return nil, false
	}
	rw := rewriter{old: was, weigher: weigher{work: maxWork}}
	rw.changeLine(0, was[:len(was)-1], r.want[:len(r.want)-1])
	return rw.result().Shifted(r.start), true
}

// plan turns regions, sorted and disjoint, into edits and hunks. It is an error
// if nothing would change, or if a region stands for more than it says.
func (src Source) plan(regions []region) (Plan, error) {
	d, err := src.draft(regions)
	if err != nil {
		return Plan{}, err
	}
	return Plan{Edits: d.edits, Hunks: src.hunks(d.edits.Apply(src.Text), d.regions, d.deltas)}, nil
}

// draft is what regions come to, before it is worded in hunks.
type draft struct {
	edits   Edits
	regions []region
	deltas  []int // by region, by how much it grows
}

// draft turns regions into edits, as plan does.
func (src Source) draft(regions []region) (draft, error) {
	d := draft{regions: regions, deltas: make([]int, len(regions)), edits: make(Edits, 0, len(regions))}
	var es Edits // of the last region that was not like the one before it
	var from int // where that began
	for i, r := range regions {
		if i == 0 || !src.alike(regions[i-1], r) {
			if r.start < r.end {
				if err := checkElided(src.Text.Slice(r.start, r.end), r.want); err != nil {
					return draft{}, err
				}
			}
			es, from = r.edits(src.Text), r.start
		}
		d.deltas[i] = es.Delta()
		for _, e := range es {
			by := r.start - from
			d.edits = append(d.edits, Edit{e.Start + by, e.End + by, e.New})
		}
	}
	d.edits = coalesce(d.edits)
	if d.edits.Validate(src.Text.Len()) != nil {
		// A lone "\r" makes neighbours of regions: they are one then.
		first, last := regions[0], regions[len(regions)-1]
		d.regions = []region{{start: first.start, end: last.end, want: src.joined(regions), tier: first.tier}}
		d.edits = Rewrite(src.Text, first.start, last.end, d.regions[0].want)
		d.deltas = []int{d.edits.Delta()}
	}
	if len(d.edits) == 0 {
		return draft{}, src.unchanged()
	}
	return d, nil
}

// unchanged is the error for a command that would change nothing.
func (src Source) unchanged() error {
	return &Error{Kind: NoChange, Message: fmt.Sprintf(
		"Nothing would change in %s: it already reads as the new text says.", src.Path)}
}

// checkElided is the error for a new text that stands for more than it is.
func checkElided(old, put string) error {
	line, ok := elidedText(old, put)
	if !ok {
		return nil
	}
	return &Error{Kind: Placeholder, Message: fmt.Sprintf(
		"The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; send the text in full.", line)}
}

// joined returns what all from the first region to the last is to read.
func (src Source) joined(regions []region) string {
	var b strings.Builder
	at := regions[0].start
	for _, r := range regions {
		b.WriteString(src.Text.Slice(at, r.start))
		b.WriteString(r.want)
		at = r.end
	}
	return b.String()
}

// hunks returns a hunk for each region, and one for regions that share a line.
// deltas are by how much the regions grow.
func (src Source) hunks(after text.Text, regions []region, deltas []int) []Hunk {
	hs := make([]Hunk, 0, len(regions))
	shift := 0
	for i := 0; i < len(regions); {
		first, delta := regions[i], 0
		last := first
		for ; i < len(regions) && (regions[i].start == first.start || src.Text.LineAt(regions[i].start) == src.Text.LineAt(last.end)); i++ {
			last = regions[i]
			delta += deltas[i]
		}
		hs = append(hs, hunkOf(src.Text, after, first.start, last.end, shift, delta, first.tier))
		shift += delta
	}
	return hs
}

// alike reports whether two regions ask for the same change of the same text,
// and nothing around them can make a difference: what has no line end in it is
// not widened and takes none over.
func (src Source) alike(a, b region) bool {
	return a.want == b.want && a.end-a.start == b.end-b.start && a.start < a.end &&
		src.Text.Slice(a.start, a.end) == src.Text.Slice(b.start, b.end) &&
		!strings.ContainsAny(a.want, "\r\n") && !strings.ContainsAny(src.Text.Slice(a.start, a.end), "\r\n")
}

// hunkOf widens [start,end) to whole lines. In after the range begins shift bytes
// later and is delta bytes longer.
func hunkOf(before, after text.Text, start, end, shift, delta int, tier Tier) Hunk {
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
