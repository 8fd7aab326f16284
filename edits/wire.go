package edits

import (
	"slices"

	"github.com/patchls/patchls/edits/text"
)

// WholeLineEnds returns edits of t with the same result, none of which begins or ends
// between "\r" and "\n": editors take such a place for another (hazard: overlapping-edits).
func (es Edits) WholeLineEnds(t text.Text) Edits {
	within := func(at int) bool { return at > 0 && at < t.Len() && t.Slice(at-1, at+1) == "\r\n" }
	if !slices.ContainsFunc(es, func(e Edit) bool { return within(e.Start) || within(e.End) }) {
		return es
	}
	out := slices.Clone(es)
	for i, e := range out {
		if within(e.Start) {
			out[i].Start, out[i].New = e.Start-1, "\r"+out[i].New
		}
		if within(e.End) {
			out[i].End, out[i].New = e.End+1, out[i].New+"\n"
		}
	}
	return Coalesce(out)
}

// BeforeEnd returns edits of t with the same result, moved so that none begins
// or ends after the final line end where that can be: appending "c\n" to "b\n"
// becomes "\nc" at the end of "b". Editors disagree on what a position there
// means (hazard: past-the-end).
func (es Edits) BeforeEnd(t text.Text) Edits {
	n := len(es)
	if n == 0 || es[n-1].End < t.Len() {
		return es
	}
	end := text.Terminator(t.Slice(max(0, t.Len()-len("\r\n")), t.Len()))
	last, k := es[n-1], len(end)
	switch {
	case k == 0:
		return es
	case last.Start == last.End && text.Terminator(last.New) == end:
		last = Edit{last.Start - k, last.End - k, end + last.New[:len(last.New)-k]}
	case last.New == "" && text.Terminator(t.Slice(0, last.Start)) == end:
		last = Edit{last.Start - k, last.End - k, ""}
	default:
		return es
	}
	moved := Coalesce(append(append(Edits(nil), es[:n-1]...), last))
	// What was put in before it and what it takes out may be the same, once they meet.
	if m := len(moved) - 1; m > 0 && t.Slice(moved[m].Start, moved[m].End) == moved[m].New {
		moved = moved[:m]
	}
	return moved
}
