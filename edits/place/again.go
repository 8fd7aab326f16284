package place

import (
	"strings"
)

// addition is lines of a hunk that only adds some, and where they stand.
type addition struct {
	at    int
	lines string
}

// additions are those of hunks that are to be placed together.
type additions map[addition]bool

// again reports whether a hunk at line at, which only adds lines to some that are
// there, is the same as one before it, and remembers it. What changes lines meets its
// like and waits; so does this, or it would be done twice at one place.
func (a additions) again(h *hunk, at int) bool {
	if len(h.old) == 0 || !h.inserts() {
		return false
	}
	var b strings.Builder
	for _, l := range h.Lines {
		b.WriteByte(byte(l.Kind))
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	key := addition{at, b.String()}
	was := a[key]
	a[key] = true
	return was
}
