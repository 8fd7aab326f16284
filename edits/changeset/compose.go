package changeset

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Then returns the combined effect of c and then next, which is of the text after c. Changes that
// next takes back vanish, and each change is trimmed to what differs, in whole characters. The cost
// depends on the changes, and not on the size of the text.
func (c Changeset) Then(next Changeset) Changeset { return c.compose(next).joined() }

// ThenApart is like Then, but remembers the points of insertions: an insertion next to a change, or where text was deleted
// before, still meets any insertion at the same point, while the replacement that Then makes of the two does not. Changes of
// the result may touch. Both changesets may be results of ThenApart or [Carried.Over]; such a changeset may be inverted,
// carried and composed like any other, but is fit for Edits only after Then.
func (c Changeset) ThenApart(next Changeset) Changeset {
	return slices.DeleteFunc(c.compose(next), func(ch Change) bool { return ch.Old == ch.New })
}

// compose returns the combined effect of c and next, neither joined nor trimmed. The inverse of
// c and next are changes of the same text, the one between the two. A change that is alone
// there stays as it is; changes that belong together become one.
func (c Changeset) compose(next Changeset) Changeset {
	back := c.Invert()
	for i := range back {
		back[i].loose = c[i].loose
	}
	out := make(Changeset, 0, len(c)+len(next))
	shift := 0 // from the text between to the text before c
	for len(back)+len(next) > 0 {
		i, j := firstGroup(back, next)
		ch := together(back[:i], next[:j])
		ch.At += shift
		out = append(out, ch)
		shift += back[:i].Delta()
		back, next = back[i:], next[j:]
	}
	return out
}

// firstGroup returns how many of the first changes of back and of next become one change.
func firstGroup(back, next Changeset) (i, j int) {
	if len(next) == 0 || len(back) > 0 && back[0].before(next[0]) {
		i = 1
	} else {
		j = 1
	}
	for {
		switch {
		case i < len(back) && j > 0 && back[i].belongsTo(next[j-1]):
			i++
		case j < len(next) && i > 0 && back[i-1].belongsTo(next[j]):
			j++
		default:
			return i, j
		}
	}
}

// belongsTo reports whether c, which takes a change back, and d, a later change of the same
// text, become one: if they meet, or if they touch and are two insertions or two deletions.
func (c Change) belongsTo(d Change) bool {
	if !c.before(d) && !d.before(c) {
		return true
	}
	touch := c.At == d.End() || c.End() == d.At
	return touch && (c.New == "" && d.Old == "" || c.Old == "" && d.New == "")
}

// together returns the change that has the effect of the changes that back takes back, and then next.
func together(back, next Changeset) Change {
	switch {
	case len(next) == 0:
		return Change{back[0].At, back[0].New, back[0].Old, back[0].loose}
	case len(back) == 0:
		return next[0]
	}
	start := min(back[0].At, next[0].At)
	between := make([]byte, max(back[len(back)-1].End(), next[len(next)-1].End())-start)
	deleted, loose := false, false // whether back puts something in where nothing is
	for _, ch := range back {
		copy(between[ch.At-start:], ch.Old)
		deleted = deleted || ch.Old == ""
		loose = loose || ch.loose || ch.New == ""
	}
	for _, ch := range next {
		copy(between[ch.At-start:], ch.Old)
		loose = loose || ch.loose || deleted && ch.Old == ""
	}
	ch := Change{At: start, Old: back.within(between, start), New: next.within(between, start)}
	ch.loose = loose && ch.New != ""
	return ch
}

// within returns what the changes make of a part of their text that begins at start.
func (c Changeset) within(part []byte, start int) string {
	var b strings.Builder
	at := 0
	for _, ch := range c {
		b.Write(part[at : ch.At-start])
		b.WriteString(ch.New)
		at = ch.End() - start
	}
	b.Write(part[at:])
	return b.String()
}

// joined returns c with touching changes joined into one, and each change trimmed.
func (c Changeset) joined() Changeset {
	out := make(Changeset, 0, len(c))
	for len(c) > 0 {
		n := 1
		for n < len(c) && c[n].At == c[n-1].End() {
			n++
		}
		ch := c[0]
		if n > 1 {
			ch.Old = strings.Join(lists.Map(c[:n], func(part Change) string { return part.Old }), "")
			ch.New = strings.Join(lists.Map(c[:n], func(part Change) string { return part.New }), "")
		}
		if ch = ch.trimmed(); ch.Size() > 0 {
			out = append(out, ch)
		}
		c = c[n:]
	}
	return out
}

// trimmed returns the change without the common ends of Old and New, in whole characters.
func (c Change) trimmed() Change {
	p, q := diff.CommonEnds(c.Old, c.New)
	return Change{At: c.At + p, Old: c.Old[p : len(c.Old)-q], New: c.New[p : len(c.New)-q]}
}

// ComposePlans returns the plan for t that has the effect of p and then next, which is
// a plan for p.Edits.Apply(t). Message is next's.
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
	removed := 0 // by how many lines the hunks before i make the text shorter
	for i := range both.Hunks {
		h := &both.Hunks[i]
		old := h.StartLine + removed
		was := tierAt(p.Hunks, true, old, h.OldLines, edits.Exact)
		h.Match = tierAt(next.Hunks, false, h.StartLine, h.NewLines, was)
		removed += h.OldLines - h.NewLines
	}
	return both
}

// tierAt returns the tier of the hunk that touches the n lines from line start, or otherwise
// if none does. before says that the lines are of the text before the hunks, not after them.
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

// ComposeEdits returns the edits of t that have the effect of es and then next, edits of es.Apply(t).
func ComposeEdits(es edits.Edits, t text.Text, next edits.Edits) edits.Edits {
	if len(es) == 0 {
		return next
	}
	return Of(es, t).Then(Of(next, es.Apply(t))).Edits()
}
