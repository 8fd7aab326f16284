package place

import (
	"math/rand/v2"
	"testing"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestMove holds where changes move what hunks have changed to a count of the lines
// that each change above puts in and takes out.
func TestMove(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 3000 {
		var p placer
		var changes []draft.LineChange
		for at := r.IntN(3); at < 40; at += 1 + r.IntN(6) {
			to := at + r.IntN(3)
			changes = append(changes, draft.LineChange{From: at, To: to, Lines: make([]string, r.IntN(4))})
			p.hunks = append(p.hunks, &hunk{state: hunkPlaced, core: [2]int{at, to}}, &hunk{state: hunkPlaced, core: [2]int{max(0, at-2), to + 1}})
			at = to
		}
		r.Shuffle(len(p.hunks), func(i, j int) { p.hunks[i], p.hunks[j] = p.hunks[j], p.hunks[i] })
		var want [][2]int
		for _, h := range p.hunks {
			core := h.core
			for _, c := range changes {
				grows := len(c.Lines) - (c.To - c.From)
				if c.From < h.core[0] {
					core[0] += grows
				}
				if c.From < h.core[1] || c.From == h.core[1] && c.To == c.From { // what is put in at the end is in it
					core[1] += grows
				}
			}
			want = append(want, core)
		}
		move(p.hunks, changes)
		for i, h := range p.hunks {
			if h.core != want[i] {
				t.Fatalf("seed %d: a hunk of %+v moves to %v, not %v", seed, changes, h.core, want[i])
			}
		}
	}
}
