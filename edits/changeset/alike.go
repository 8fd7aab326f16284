package changeset

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Alike returns the one of the changes that has the effect of c on t, elsewhere: among
// equal lines, or wherever text repeats, the same insertion or deletion may be told
// by several places. Into an insertion others may have typed since, or taken a piece
// out of it, or put something in beside it, of which an editor tells as one with it: that
// is looked for in the place of either. It looks at the next change on either side of c.
func Alike(t text.Text, c Change, changes Changeset) (Change, bool) {
	for _, r := range beside(c, changes) {
		if !mayBeAlike(c, r) {
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
		case slides(c, r.At, between) && isInserted(r.New, movedTo(c, r.At)),
			slides(r, c.At, between) && isInserted(movedTo(r, c.At), c.New):
			return r, true
		}
	}
	return Change{}, false
}

// MayBeAlike reports whether [Alike] may return one of the changes for some text, which it needs not.
func MayBeAlike(c Change, changes Changeset) bool {
	return slices.ContainsFunc(beside(c, changes), func(r Change) bool { return mayBeAlike(c, r) })
}

// beside returns the next of the changes on either side of c.
func beside(c Change, changes Changeset) Changeset {
	next := sort.Search(len(changes), func(i int) bool { return changes[i].At >= c.At })
	return changes[max(0, next-1):min(len(changes), next+1)]
}

// mayBeAlike reports whether c and r do the same where the text between them repeats what
// they put in or take out: then one is the other, turned by how far it is away.
func mayBeAlike(c, r Change) bool {
	if (c.Old == "") == (c.New == "") || (r.Old == "") != (c.Old == "") || (r.New == "") != (c.New == "") || len(r.Old) != len(c.Old) {
		return false
	}
	if c.Old != "" {
		return r.Old == turned(c.Old, r.At-c.At)
	}
	return isInserted(r.New, movedTo(c, r.At)) || isInserted(movedTo(r, c.At), c.New)
}

// turned returns what a text that repeats s has by bytes further on, as long as s.
func turned(s string, by int) string {
	by = (by%len(s) + len(s)) % len(s)
	return s[by:] + s[:by]
}

// movedTo returns what an insertion puts in where it is told by another place.
func movedTo(c Change, at int) string { return turned(c.New, at-c.At) }

// slides reports whether an insertion can be told by place at; between is the text in between.
func slides(c Change, at int, between string) bool {
	if at < c.At {
		return strings.HasSuffix(between+c.New, between)
	}
	return strings.HasPrefix(c.New+between, between)
}

// minInserted is how many bytes of an insertion tell it: the user may type the same letter.
const minInserted = 3

// isInserted reports whether s is what became of the insertion of t.
func isInserted(s, t string) bool {
	return holdsBothEnds(s, t) || len(s) >= minInserted && holdsBothEnds(t, s)
}

// holdsBothEnds reports whether s is t, or t with something put into it.
func holdsBothEnds(s, t string) bool {
	return len(s) >= len(t) && diff.CommonPrefix(s, t)+diff.CommonSuffix(s, t) >= len(t)
}
