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
	both.Hunks = diff.Hunks(both.Edits, t)
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
func tierAt(hunks []edits.Hunk, start, n int, otherwise edits.Tier) edits.Tier {
	for _, h := range hunks {
		if start <= h.EndLine+1 && h.StartLine <= start+n {
			return h.Match
		}
	}
	return otherwise
}

// tierWas is tierAt for the lines before the hunks.
func tierWas(hunks []edits.Hunk, start, n int) edits.Tier {
	before := make([]edits.Hunk, len(hunks))
	removed := 0
	for i, h := range hunks {
		from := h.StartLine + removed
		before[i] = edits.Hunk{StartLine: from, EndLine: from + h.OldLines - 1, Match: h.Match}
		removed += h.OldLines - h.NewLines
	}
	return tierAt(before, start, n, edits.Exact)
}

// ComposeEdits returns the edits of t that do what es, which are of t, and after them
// next, which are of es.Apply(t), do.
func ComposeEdits(es edits.Edits, t text.Text, next edits.Edits) edits.Edits {
	switch {
	case len(es) == 0:
		return next
	case len(next) == 0:
		return es
	}
	w := weaver{first: Of(es, t)}
	for _, e := range next {
		w.next(e, false, func(from, to int) string { return t.Slice(from-w.shift, to-w.shift) })
	}
	return w.rest().joined().Edits()
}
