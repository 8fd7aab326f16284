package edits

import (
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// leastAlike is how long a text must be for its coming or going in another place of
// equal ones to be no coincidence: a person may type the same letter.
const leastAlike = 3

// Alike returns the one of the changes that has the effect of c on t, elsewhere: among
// equal lines, or wherever text repeats, the same insertion or deletion may be told
// by several places. It looks at the next change on either side of c.
func Alike(t text.Text, c Change, changes Changeset) (Change, bool) {
	if (c.Old == "") == (c.New == "") || c.Size() < leastAlike {
		return Change{}, false
	}
	next := sort.Search(len(changes), func(i int) bool { return changes[i].At >= c.At })
	for _, r := range changes[max(0, next-1):min(len(changes), next+1)] {
		if len(r.Old) != len(c.Old) || len(r.New) != len(c.New) {
			continue
		}
		first, last := c, r
		if r.At < c.At {
			first, last = r, c
		}
		between := t.Slice(first.At, last.At)
		if first.Old == "" && first.New+between == between+last.New ||
			first.New == "" && strings.HasSuffix(t.Slice(first.At, last.End()), between) {
			return r, true
		}
	}
	return Change{}, false
}
