package draft

import (
	"iter"
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
			if err := CheckElided(src.Text.Slice(r.Start, r.End), r.Want); err != nil {
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
	case !inOrder:
		return src.rewritten(regions)
	case n > diff.MaxEdits:
		all.New = src.joined(regions, all, bytes)
		return edits.Edits{all}, nil
	}
	return edits.Coalesce(out), nil
}

// joined returns the new text of an edit that joins those of regions, which insert so many bytes.
func (src Source) joined(regions iter.Seq[Region], all edits.Edit, bytes int) string {
	var b strings.Builder
	b.Grow(all.End - all.Start + bytes)
	at := all.Start
	for r := range regions {
		for _, e := range r.edits(src.Text) {
			b.WriteString(src.Text.Slice(at, e.Start))
			b.WriteString(e.New)
			at = e.End
		}
	}
	return b.String()
}

// rewritten rewrites all regions as one.
func (src Source) rewritten(regions iter.Seq[Region]) (edits.Edits, error) {
	var b strings.Builder
	start, at := -1, 0
	for r := range regions {
		if start < 0 {
			start, at = r.Start, r.Start
		}
		b.WriteString(src.Text.Slice(at, r.Start))
		b.WriteString(r.Want)
		at = r.End
	}
	if es := diff.Rewrite(src.Text, start, at, b.String()); len(es) > 0 {
		return es, nil
	}
	return nil, src.Unchanged(false)
}

// Unchanged returns the error for a command that would change nothing, or nothing but line ends.
func (src Source) Unchanged(onlyEnds bool) error {
	why := "it already reads as the new text says."
	if onlyEnds {
		why = `only line ends differ, and those of a text are kept. Where the editor holds both kinds in one text, a unified diff that shows both ("\r\n" and "\n") changes them.`
	}
	return edits.Errorf(edits.NoChange, "Nothing would change in %s: %s", src.Path, why)
}

// CheckElided returns an error if the new text has a line that stands for text left out.
func CheckElided(old, put string) error {
	line, ok := elision.Find(old, put)
	if !ok {
		return nil
	}
	return edits.Errorf(edits.Placeholder, "The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; send the text in full.", line)
}
