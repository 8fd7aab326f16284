package edits

import (
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Alike returns the one of the changes that has the effect of c on t, elsewhere: among
// equal lines, or wherever text repeats, the same insertion or deletion may be told
// by several places. Into an insertion others may have typed since, or taken a piece
// out of it. It looks at the next change on either side of c.
func Alike(t text.Text, c Change, changes Changeset) (Change, bool) {
	if (c.Old == "") == (c.New == "") {
		return Change{}, false
	}
	next := sort.Search(len(changes), func(i int) bool { return changes[i].At >= c.At })
	for _, r := range changes[max(0, next-1):min(len(changes), next+1)] {
		if (r.Old == "") != (c.Old == "") || (r.New == "") != (c.New == "") || len(r.Old) != len(c.Old) {
			continue
		}
		first, last := c, r
		if r.At < c.At {
			first, last = r, c
		}
		between := t.Slice(first.At, last.At)
		switch {
		case c.Old != "":
			if strings.HasSuffix(t.Slice(first.At, last.End()), between) {
				return r, true
			}
		case r.At < c.At && slidesLeft(between, c.New) && isInserted(r.New, (between + c.New)[:len(c.New)]),
			r.At >= c.At && slidesRight(between, c.New) && isInserted(r.New, (c.New + between)[len(between):]):
			return r, true
		}
	}
	return Change{}, false
}

// slidesLeft reports whether to insert s behind before is to insert the same number of
// bytes in front of it; slidesRight is the other way round.
func slidesLeft(before, s string) bool  { return strings.HasSuffix(before+s, before) }
func slidesRight(behind, s string) bool { return strings.HasPrefix(s+behind, behind) }

// leastInserted is how much of an insertion must be left to be known for it: a person
// may type the same letter.
const leastInserted = 3

// isInserted reports whether s is what became of the insertion of t.
func isInserted(s, t string) bool {
	return holdsBothEnds(s, t) || len(s) >= leastInserted && holdsBothEnds(t, s)
}

// holdsBothEnds reports whether s is t, or t with something put into it.
func holdsBothEnds(s, t string) bool {
	return len(s) >= len(t) && commonPrefix(s, t)+commonSuffix(s, t) >= len(t)
}
