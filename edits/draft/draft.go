package draft

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
)

// Region asks for [Start,End) of a text to become Want, in which "\n" stands
// for any line end (see [diff.Rewrite]).
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

// Plan turns regions, sorted and disjoint, into edits and hunks. It returns an error
// if nothing would change, or if the new text of a region leaves something out.
func (src Source) Plan(regions []Region) (edits.Plan, error) {
	es, err := src.Draft(regions)
	if err != nil {
		return edits.Plan{}, err
	}
	p := diff.PlanOf(src.Text, es)
	for i := range p.Hunks {
		p.Hunks[i].Match = regions[0].Tier
	}
	return p, nil
}

// Draft turns regions into edits, as [Source.Plan] does.
func (src Source) Draft(regions []Region) (edits.Edits, error) {
	out := make(edits.Edits, 0, len(regions))
	for _, r := range regions {
		if r.Start < r.End {
			if err := CheckElided(src.Text.Slice(r.Start, r.End), r.Want); err != nil {
				return nil, err
			}
		}
		out = append(out, r.edits(src.Text)...)
	}
	out = edits.Coalesce(out)
	if out.Validate(src.Text.Len()) != nil {
		// A lone "\r" can make regions touch: rewrite them as one.
		out = diff.Rewrite(src.Text, regions[0].Start, regions[len(regions)-1].End, src.Joined(regions))
	}
	if len(out) == 0 {
		return nil, src.Unchanged()
	}
	return out, nil
}

// Unchanged returns the error for a command that would change nothing.
func (src Source) Unchanged() error {
	return edits.Errorf(edits.NoChange, "Nothing would change in %s: it already reads as the new text says.", src.Path)
}

// CheckElided returns an error if the new text has a line that stands for text left out.
func CheckElided(old, put string) error {
	line, ok := elision.Find(old, put)
	if !ok {
		return nil
	}
	return edits.Errorf(edits.Placeholder, "The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; send the text in full.", line)
}

// Joined returns the new text from the start of the first region to the end of the last.
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
