package place

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestContextAloneRandom: hunks that change nothing must stand in the text, one below the other, and the change goes
// below them. If it can do so at one place, it is made there; if at none or several, the patch is refused.
func TestContextAloneRandom(t *testing.T) {
	t.Parallel()
	seed, cases := chance.Seed(t), chance.Cases(t, "PATCHLS_CONTEXT_CASES", 5_000)
	r := rand.New(rand.NewPCG(seed, 1))
	made := 0
	for range cases {
		alphabet := []string{"a", "b", "c", "d", "e", "f"}[:2+r.IntN(5)]
		some := func(n int) (lines []string) {
			for range n {
				lines = append(lines, alphabet[r.IntN(len(alphabet))])
			}
			return lines
		}
		lines := some(1 + r.IntN(12))
		piece := func() []string {
			if from := r.IntN(len(lines)); r.IntN(8) > 0 {
				return lines[from:min(len(lines), from+1+r.IntN(2))]
			}
			return some(1)
		}
		hunk := func(kept []string) (h patch.Hunk) {
			for _, l := range kept {
				h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine, Text: l})
			}
			return h
		}
		var hunks []patch.Hunk
		below := []int{0} // where the next hunk may begin
		for range 1 + r.IntN(2) {
			kept := piece()
			hunks = append(hunks, hunk(kept))
			var next []int
			for _, at := range placesOf(lines, kept) {
				if at >= slices.Min(append(below, len(lines))) && len(below) > 0 {
					next = append(next, at+len(kept))
				}
			}
			below = next
		}
		change, old := hunk(nil), piece()
		h := hunk(old[:len(old)-1])
		change.Lines = slices.Concat(h.Lines, []patch.Line{{Kind: patch.DeletedLine, Text: old[len(old)-1]}, {Kind: patch.AddedLine, Text: "new"}})
		hunks = append(hunks, change)
		var can []string
		for _, at := range placesOf(lines, old) {
			if last := at + len(old) - 1; len(below) > 0 && last >= slices.Min(below) {
				after := slices.Clone(lines)
				after[last] = "new"
				can = append(can, strings.Join(after, "\n")+"\n")
			}
		}
		src := edits.Source{Path: "a", Text: text.New(strings.Join(lines, "\n") + "\n")}
		plan, err := Plan(patch.File{Path: "a", Hunks: hunks}, src, Options{Exact: true})
		_, refused := errors.AsType[*edits.Error](err)
		if refused != (len(can) != 1) || !refused && plan.Edits.Apply(src.Text).String() != can[0] {
			t.Fatalf("PATCHLS_SEED=%d: %q, %v: %q (%v), but it can be %q", seed, lines, hunks, plan.Edits.Apply(src.Text).String(), err, can)
		}
		if !refused {
			made++
		}
	}
	if uint64(made) < cases/5 {
		t.Errorf("seed %d: only %d of %d were made", seed, made, cases)
	}
}

// placesOf returns the lines at which others stand.
func placesOf(lines, others []string) (places []int) {
	for at := 0; at+len(others) <= len(lines); at++ {
		if slices.Equal(lines[at:at+len(others)], others) {
			places = append(places, at)
		}
	}
	return places
}
