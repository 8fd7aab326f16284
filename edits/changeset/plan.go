package changeset

import (
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// ComposePlans returns the plan, made for t, that does what p and after it next, which
// is of p.Edits.Apply(t), do. Message is next's.
func ComposePlans(p edits.Plan, t text.Text, next edits.Plan) edits.Plan {
	if len(p.Edits) == 0 {
		next.Notes = append(slices.Clip(p.Notes), next.Notes...)
		return next
	}
	both := edits.Plan{
		Edits: ComposeEdits(p.Edits, t, next.Edits), Message: next.Message,
		Notes: append(slices.Clip(p.Notes), next.Notes...),
	}
	both.Hunks = diff.Hunks(both.Edits, t, both.Edits.Apply(t))
	removed := 0 // lines that are fewer before hunk i than they were
	for i := range both.Hunks {
		h := &both.Hunks[i]
		old := h.StartLine + removed
		was := tierAt(p.Hunks, true, old, h.OldLines, edits.Exact)
		h.Match = tierAt(next.Hunks, false, h.StartLine, h.NewLines, was)
		removed += h.OldLines - h.NewLines
	}
	return both
}

// tierAt returns the tier of the hunk that has one of n lines from line start, which are
// of the text before the hunks or of that after them; or else otherwise.
func tierAt(hunks []edits.Hunk, before bool, start, n int, otherwise edits.Tier) edits.Tier {
	removed := 0
	for _, h := range hunks {
		from, size := h.StartLine, h.NewLines
		if before {
			from, size = h.StartLine+removed, h.OldLines
		}
		if start <= from+size && from <= start+n {
			return h.Match
		}
		removed += h.OldLines - h.NewLines
	}
	return otherwise
}

// ComposeEdits returns the edits of t that do what es, which are of t, and after them
// next, which are of es.Apply(t), do.
func ComposeEdits(es edits.Edits, t text.Text, next edits.Edits) edits.Edits {
	if len(es) == 0 {
		return next
	}
	return Of(es, t).Then(Of(next, es.Apply(t))).Edits()
}
