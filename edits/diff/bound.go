package diff

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

// MaxEdits is the most edits that [Rewrite] returns. As LSP has it, an edit is a hundred
// bytes beside its text, so these are less than half a megabyte; and if an editor takes
// fifty microseconds for each, which is a guess, a person waits a fifth of a second. It
// is more than nearly all files have lines, so one that was only indented is still
// sent as its indentation.
const MaxEdits = 1 << 12

// atMost returns edits of s that do the same and are at most so many: neighbours
// become one, with what is between them, where that is shortest.
func atMost(es edits.Edits, s string, most int) edits.Edits {
	if len(es) <= most {
		return es
	}
	between := func(i int) int { return es[i].Start - es[i-1].End }
	shortest := make([]int, len(es)-1)
	for i := range shortest {
		shortest[i] = between(i + 1)
	}
	slices.Sort(shortest)
	shortest = shortest[:len(es)-most]
	// What is shorter than the limit goes, and as much as it takes of what is as long.
	limit := shortest[len(shortest)-1]
	first, _ := slices.BinarySearch(shortest, limit)
	equal := len(shortest) - first

	out := make(edits.Edits, 0, most)
	for i := 0; i < len(es); {
		next := i + 1
		for ; next < len(es) && between(next) <= limit; next++ {
			if between(next) == limit {
				if equal == 0 {
					break
				}
				equal--
			}
		}
		out = append(out, joined(es[i:next], s))
		i = next
	}
	return out
}

// joined returns what the edits do to s as one, with no common ends.
func joined(es edits.Edits, s string) edits.Edit {
	first, last := es[0], es[len(es)-1]
	if len(es) == 1 {
		return first
	}
	var b strings.Builder
	b.Grow(es.Delta() + last.End - first.Start)
	at := first.Start
	for _, e := range es {
		b.WriteString(s[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	put := b.String()
	p, q := CommonEnds(s[first.Start:last.End], put)
	return edits.Edit{Start: first.Start + p, End: last.End - q, New: put[p : len(put)-q]}
}
