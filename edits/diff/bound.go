package diff

import (
	"sort"
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
	shorter := func(n int) (count int) {
		for i := 1; i < len(es); i++ {
			if between(i) < n {
				count++
			}
		}
		return count
	}
	// What is shorter than the limit goes, and as much as it takes of what is as long.
	above := 1
	for shorter(above) < len(es)-most {
		above *= 2
	}
	limit := sort.Search(above, func(n int) bool { return shorter(n+1) >= len(es)-most })
	equal := len(es) - most - shorter(limit)

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
