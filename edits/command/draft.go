package command

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
)

// region asks for [start,end) of a text to become want, whose line ends are
// "\n" for "a line end" (see Rewrite).
type region struct {
	start, end int
	want       string
	tier       edits.Tier
	raw        bool // the line ends in want are meant as they are
}

// edits returns the edits that make the region what it is to be.
func (r region) edits(t text.Text) edits.Edits {
	if !r.raw {
		return diff.RewriteLocally(t, r.start, r.end, r.want)
	}
	was := t.Slice(r.start, r.end)
	p, q := diff.CommonEnds(was, r.want)
	if p+q == len(was) && p+q == len(r.want) {
		return nil
	}
	return edits.Edits{{Start: r.start + p, End: r.end - q, New: r.want[p : len(r.want)-q]}}
}

// plan turns regions, sorted and disjoint, into edits and hunks. It is an error
// if nothing would change, or if a region stands for more than it says.
func (src source) plan(regions []region) (edits.Plan, error) {
	d, err := src.draft(regions)
	if err != nil {
		return edits.Plan{}, err
	}
	return edits.Plan{Edits: d.edits, Hunks: src.hunks(d.edits.Apply(src.Text), d.regions, d.deltas)}, nil
}

// draft is what regions come to, before it is worded in hunks.
type draft struct {
	edits   edits.Edits
	regions []region
	deltas  []int // by region, by how much it grows
}

// draft turns regions into edits, as plan does.
func (src source) draft(regions []region) (draft, error) {
	d := draft{regions: regions, deltas: make([]int, len(regions)), edits: make(edits.Edits, 0, len(regions))}
	var es edits.Edits // of the last region that was not like the one before it
	var from int       // where that began
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
			d.edits = append(d.edits, edits.Edit{Start: e.Start + by, End: e.End + by, New: e.New})
		}
	}
	d.edits = edits.Coalesce(d.edits)
	if d.edits.Validate(src.Text.Len()) != nil {
		// A lone "\r" makes neighbours of regions: they are one then.
		first, last := regions[0], regions[len(regions)-1]
		d.regions = []region{{start: first.start, end: last.end, want: src.joined(regions), tier: first.tier}}
		d.edits = diff.Rewrite(src.Text, first.start, last.end, d.regions[0].want)
		d.deltas = []int{d.edits.Delta()}
	}
	if len(d.edits) == 0 {
		return draft{}, src.unchanged()
	}
	return d, nil
}

// unchanged is the error for a command that would change nothing.
func (src source) unchanged() error {
	return &edits.Error{Kind: edits.NoChange, Message: fmt.Sprintf(
		"Nothing would change in %s: it already reads as the new text says.", src.Path)}
}

// checkElided is the error for a new text that stands for more than it is.
func checkElided(old, put string) error {
	line, ok := elision.Find(old, put)
	if !ok {
		return nil
	}
	return &edits.Error{Kind: edits.Placeholder, Message: fmt.Sprintf(
		"The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; send the text in full.", line)}
}

// joined returns what all from the first region to the last is to read.
func (src source) joined(regions []region) string {
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
func (src source) hunks(after text.Text, regions []region, deltas []int) []edits.Hunk {
	hs := make([]edits.Hunk, 0, len(regions))
	shift := 0
	for i := 0; i < len(regions); {
		first, delta := regions[i], 0
		last := first
		for ; i < len(regions) && (regions[i].start == first.start || src.Text.LineAt(regions[i].start) == src.Text.LineAt(last.end)); i++ {
			last = regions[i]
			delta += deltas[i]
		}
		hs = append(hs, diff.HunkOf(src.Text, after, first.start, last.end, shift, delta, first.tier))
		shift += delta
	}
	return hs
}

// alike reports whether two regions ask for the same change of the same text,
// and nothing around them can make a difference: what has no line end in it is
// not widened and takes none over.
func (src source) alike(a, b region) bool {
	return a.want == b.want && a.end-a.start == b.end-b.start && a.start < a.end &&
		src.Text.Slice(a.start, a.end) == src.Text.Slice(b.start, b.end) &&
		!strings.ContainsAny(a.want, "\r\n") && !strings.ContainsAny(src.Text.Slice(a.start, a.end), "\r\n")
}
