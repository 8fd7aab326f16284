package edits

import (
	"slices"

	"github.com/patchls/patchls/edits/text"
)

// Then returns the plan, made for t, that does what p and after it next, which
// is of p.Edits.Apply(t), do. Message is next's.
func (p Plan) Then(t text.Text, next Plan) Plan {
	if len(p.Edits) == 0 {
		next.Notes = append(slices.Clip(p.Notes), next.Notes...)
		return next
	}
	both := Plan{
		Edits: p.Edits.Then(t, next.Edits), Message: next.Message,
		Notes: append(slices.Clip(p.Notes), next.Notes...),
	}
	both.Hunks = both.Edits.hunks(t)
	removed := 0 // lines that are fewer before hunk i than they were
	for i := range both.Hunks {
		h := &both.Hunks[i]
		old := h.StartLine + removed
		h.Match = tierAt(next.Hunks, h.StartLine, h.NewLines, tierWas(p.Hunks, old, h.OldLines))
		removed += h.OldLines - h.NewLines
	}
	return both
}

// tierAt returns the tier of the hunk that has one of n new lines from line
// start, or else otherwise.
func tierAt(hunks []Hunk, start, n int, otherwise Tier) Tier {
	for _, h := range hunks {
		if start <= h.EndLine+1 && h.StartLine <= start+n {
			return h.Match
		}
	}
	return otherwise
}

// tierWas is tierAt for the lines before the hunks.
func tierWas(hunks []Hunk, start, n int) Tier {
	before := make([]Hunk, len(hunks))
	removed := 0
	for i, h := range hunks {
		from := h.StartLine + removed
		before[i] = Hunk{StartLine: from, EndLine: from + h.OldLines - 1, Match: h.Match}
		removed += h.OldLines - h.NewLines
	}
	return tierAt(before, start, n, Exact)
}
