package changeset

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Alike returns the one of the changes that has the effect of c on t at another place: among equal lines, or wherever text
// repeats, the same insertion or deletion may be reported at several places. Others may have typed into an insertion since,
// or deleted a piece of it, or inserted text next to it that an editor reports together with it; Alike accepts these at
// either of the two places. It examines the next change on either side of c.
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

// MayBeAlike reports whether [Alike] may return one of the changes for some text.
func MayBeAlike(c Change, changes Changeset) bool {
	return slices.ContainsFunc(beside(c, changes), func(r Change) bool { return mayBeAlike(c, r) })
}

// beside returns the nearest change on either side of c.
func beside(c Change, changes Changeset) Changeset {
	next := sort.Search(len(changes), func(i int) bool { return changes[i].At >= c.At })
	return changes[max(0, next-1):min(len(changes), next+1)]
}

// mayBeAlike reports whether c and r have the same effect if the text between them repeats
// what they insert or delete: then one is the other, rotated by the distance between them.
func mayBeAlike(c, r Change) bool {
	if (c.Old == "") == (c.New == "") || (r.Old == "") != (c.Old == "") || (r.New == "") != (c.New == "") || len(r.Old) != len(c.Old) {
		return false
	}
	if c.Old != "" {
		return r.Old == turned(c.Old, r.At-c.At)
	}
	return isInserted(r.New, movedTo(c, r.At)) || isInserted(movedTo(r, c.At), c.New)
}

// turned returns s rotated by by bytes: the len(s) bytes at offset by of a text that repeats s.
func turned(s string, by int) string {
	by = (by%len(s) + len(s)) % len(s)
	return s[by:] + s[:by]
}

// movedTo returns what an insertion inserts if it is reported at another place.
func movedTo(c Change, at int) string { return turned(c.New, at-c.At) }

// slides reports whether an insertion can be reported at place at; between is the text in between.
func slides(c Change, at int, between string) bool {
	if at < c.At {
		return strings.HasSuffix(between+c.New, between)
	}
	return strings.HasPrefix(c.New+between, between)
}

// minInserted is how many bytes identify an insertion: the user may type the same letter.
const minInserted = 3

// isInserted reports whether s may be the insertion of t after later changes.
func isInserted(s, t string) bool {
	return holdsBothEnds(s, t) || len(s) >= minInserted && holdsBothEnds(t, s)
}

// holdsBothEnds reports whether s is t, or t with something put into it.
func holdsBothEnds(s, t string) bool {
	return len(s) >= len(t) && diff.CommonPrefix(s, t)+diff.CommonSuffix(s, t) >= len(t)
}
