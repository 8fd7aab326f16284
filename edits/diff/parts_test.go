package diff

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestParts holds what edits add to and remove from the lines that they are about
// to what they do to the whole text.
func TestParts(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString([]string{"\n", "\n", "\r\n", "x = 1", "y", " ", "\r"}[r.IntN(7)])
		}
		return b.String()
	}
	count := func(s string, es edits.Edits) (added, removed int) {
		for _, c := range inLines(s, es) {
			added += LineCount(c.new)
			removed += LineCount(s[c.start:c.end])
		}
		return added, removed
	}
	for range 5000 {
		s := some(r.IntN(60))
		if r.IntN(10) == 0 {
			s = text.BOM + s
		}
		var es edits.Edits
		for at := r.IntN(4); at <= len(s); at += 1 + r.IntN(12) {
			e := edits.Edit{Start: at, End: min(len(s), at+r.IntN(4)), New: some(r.IntN(3))}
			if e.Start < e.End || e.New != "" {
				es = append(es, e)
				at = e.End
			}
		}
		added, removed := LineChanges(es, text.New(s))
		if a, d := count(s, es); a != added || d != removed {
			t.Fatalf("seed %d: %+v of %q add %d and remove %d lines, by parts %d and %d", seed, es, s, a, d, added, removed)
		}
	}
}
