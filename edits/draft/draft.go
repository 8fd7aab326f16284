package draft

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
)

// Region asks for [start,end) of a text to become want, whose line ends are
// "\n" for "a line end" (see Rewrite).
type Region struct {
	Start, End int
	Want       string
	Tier       edits.Tier
	raw        bool // the line ends in want are meant as they are
}

// edits returns the edits that make the region what it is to be.
func (r Region) edits(t text.Text) edits.Edits {
	if !r.raw {
		return diff.RewriteLocally(t, r.Start, r.End, r.Want)
	}
	was := t.Slice(r.Start, r.End)
	p, q := diff.CommonEnds(was, r.Want)
	if p+q == len(was) && p+q == len(r.Want) {
		return nil
	}
	return edits.Edits{{Start: r.Start + p, End: r.End - q, New: r.Want[p : len(r.Want)-q]}}
}

// Plan turns regions, sorted and disjoint, into edits and hunks. It is an error
// if nothing would change, or if a region stands for more than it says.
func (src Source) Plan(regions []Region) (edits.Plan, error) {
	d, err := src.Draft(regions)
	if err != nil {
		return edits.Plan{}, err
	}
	return edits.Plan{Edits: d.Edits, Hunks: src.hunks(d.Edits.Apply(src.Text), d.regions, d.deltas)}, nil
}

// Draft is what regions come to, before it is worded in hunks.
type Draft struct {
	Edits   edits.Edits
	regions []Region
	deltas  []int // by region, by how much it grows
}

// Draft turns regions into edits, as plan does.
func (src Source) Draft(regions []Region) (Draft, error) {
	d := Draft{regions: regions, deltas: make([]int, len(regions)), Edits: make(edits.Edits, 0, len(regions))}
	var es edits.Edits // of the last region that was not like the one before it
	var from int       // where that began
	for i, r := range regions {
		if i == 0 || !src.alike(regions[i-1], r) {
			if r.Start < r.End {
				if err := CheckElided(src.Text.Slice(r.Start, r.End), r.Want); err != nil {
					return Draft{}, err
				}
			}
			es, from = r.edits(src.Text), r.Start
		}
		d.deltas[i] = es.Delta()
		for _, e := range es {
			by := r.Start - from
			d.Edits = append(d.Edits, edits.Edit{Start: e.Start + by, End: e.End + by, New: e.New})
		}
	}
	d.Edits = edits.Coalesce(d.Edits)
	if d.Edits.Validate(src.Text.Len()) != nil {
		// A lone "\r" makes neighbours of regions: they are one then.
		first, last := regions[0], regions[len(regions)-1]
		d.regions = []Region{{Start: first.Start, End: last.End, Want: src.Joined(regions), Tier: first.Tier}}
		d.Edits = diff.Rewrite(src.Text, first.Start, last.End, d.regions[0].Want)
		d.deltas = []int{d.Edits.Delta()}
	}
	if len(d.Edits) == 0 {
		return Draft{}, src.Unchanged()
	}
	return d, nil
}

// Unchanged is the error for a command that would change nothing.
func (src Source) Unchanged() error {
	return &edits.Error{Kind: edits.NoChange, Message: fmt.Sprintf(
		"Nothing would change in %s: it already reads as the new text says.", src.Path)}
}

// CheckElided is the error for a new text that stands for more than it is.
func CheckElided(old, put string) error {
	line, ok := elision.Find(old, put)
	if !ok {
		return nil
	}
	return &edits.Error{Kind: edits.Placeholder, Message: fmt.Sprintf(
		"The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; send the text in full.", line)}
}

// Joined returns what all from the first region to the last is to read.
func (src Source) Joined(regions []Region) string {
	var b strings.Builder
	at := regions[0].Start
	for _, r := range regions {
		b.WriteString(src.Text.Slice(at, r.Start))
		b.WriteString(r.Want)
		at = r.End
	}
	return b.String()
}

// hunks returns a hunk for each region, and one for regions that share a line.
// deltas are by how much the regions grow.
func (src Source) hunks(after text.Text, regions []Region, deltas []int) []edits.Hunk {
	hs := make([]edits.Hunk, 0, len(regions))
	shift := 0
	for i := 0; i < len(regions); {
		first, delta := regions[i], 0
		last := first
		for ; i < len(regions) && (regions[i].Start == first.Start || src.Text.LineAt(regions[i].Start) == src.Text.LineAt(last.End)); i++ {
			last = regions[i]
			delta += deltas[i]
		}
		hs = append(hs, diff.HunkOf(src.Text, after, first.Start, last.End, shift, delta, first.Tier))
		shift += delta
	}
	return hs
}

// alike reports whether two regions ask for the same change of the same text,
// and nothing around them can make a difference: what has no line end in it is
// not widened and takes none over.
func (src Source) alike(a, b Region) bool {
	return a.Want == b.Want && a.End-a.Start == b.End-b.Start && a.Start < a.End &&
		src.Text.Slice(a.Start, a.End) == src.Text.Slice(b.Start, b.End) &&
		!strings.ContainsAny(a.Want, "\r\n") && !strings.ContainsAny(src.Text.Slice(a.Start, a.End), "\r\n")
}
