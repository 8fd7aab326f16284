package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestAtMost wants that edits are made fewer with the least text added, and still do
// the same.
func TestAtMost(t *testing.T) {
	seed := chance.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		var s strings.Builder
		var es edits.Edits
		var between []int
		for range 1 + rng.IntN(12) {
			s.WriteString(strings.Repeat("-", 1+rng.IntN(6)))
			e := edits.Edit{Start: s.Len(), End: s.Len() + rng.IntN(3), New: fmt.Sprint(rng.IntN(100))}
			s.WriteString(strings.Repeat("x", e.End-e.Start))
			if n := len(es); n > 0 {
				between = append(between, e.Start-es[n-1].End)
			}
			es = append(es, e)
		}
		s.WriteString("-")
		slices.Sort(between)
		most := 1 + rng.IntN(12)
		got := atMost(es, s.String(), most)

		added := 0
		for _, n := range between[:max(0, len(es)-most)] {
			added += 2 * n
		}
		size := func(es edits.Edits) (n int) {
			for _, e := range es {
				n += e.End - e.Start + len(e.New)
			}
			return n
		}
		before := text.New(s.String())
		switch {
		case got.Validate(s.Len()) != nil:
			t.Errorf("seed %d: %v", seed, got.Validate(s.Len()))
		case len(got) != min(most, len(es)):
			t.Errorf("seed %d: %d of %d edits, want %d", seed, len(got), len(es), most)
		case got.Apply(before).String() != es.Apply(before).String():
			t.Errorf("seed %d: %v of %q is not %v", seed, got, s.String(), es)
		case size(got) > size(es)+added:
			t.Errorf("seed %d: %d bytes, want %d more than %d at most", seed, size(got), added, size(es))
		}
		if t.Failed() {
			return
		}
	}
}
