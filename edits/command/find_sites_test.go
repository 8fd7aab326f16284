package command

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestLineSites looks for lines whose hashes have their high bits in common with many
// others, again and again, and holds what is found to where the lines are.
func TestLineSites(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	byHigh := map[text.LineHash][]string{}
	for i := range 40_000 {
		l := fmt.Sprint("line ", i)
		byHigh[text.HashLine(l)>>16] = append(byHigh[text.HashLine(l)>>16], l)
	}
	var pieces []string
	for _, ls := range byHigh {
		if len(ls) > 2 {
			pieces = append(pieces, ls...)
		}
	}
	if len(pieces) < 300 {
		t.Fatalf("only %d of the lines have hashes that are alike", len(pieces))
	}
	for range 20 {
		var b strings.Builder
		at := map[text.LineHash][]int32{}
		for i := range r.IntN(5000) {
			l := pieces[r.IntN(len(pieces))]
			b.WriteString([]string{"", "\t"}[r.IntN(2)] + l + "\n")
			at[text.HashLine(l)] = append(at[text.HashLine(l)], int32(i))
		}
		var sites lineSites
		hashes := text.New(b.String()).LineHashes()
		for range 5 {
			var wanted []text.LineHash
			for range r.IntN(200) {
				wanted = append(wanted, text.HashLine(pieces[r.IntN(len(pieces))]))
			}
			sites.look(hashes, wanted, nil)
			for h := range sites.number {
				if got, _ := sites.of(h); !slices.Equal(got, at[h]) {
					t.Fatalf("seed %d: %x is in the lines %v, not %v", seed, h, got, at[h])
				}
			}
			for _, h := range wanted {
				if _, known := sites.of(h); !known {
					t.Fatalf("seed %d: %x is not known after a look", seed, h)
				}
			}
		}
	}
}
