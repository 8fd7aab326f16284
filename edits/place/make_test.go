package place

import (
	"math/rand/v2"
	"testing"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestMove holds where changes move those of other hunks to a count of the lines
// that each change above puts in and takes out.
func TestMove(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 3000 {
		var made []draft.LineChange
		var hunks []*hunk
		var want []draft.LineChange
		for at := r.IntN(3); at < 40; at += 1 + r.IntN(6) {
			to := at + r.IntN(3)
			c := draft.LineChange{From: at, To: to, Lines: make([]string, r.IntN(4))}
			if r.IntN(2) == 0 {
				made = append(made, c)
			} else {
				hunks = append(hunks, &hunk{state: Placed, changes: []draft.LineChange{c}})
			}
			if r.IntN(2) == 0 { // something else is put in at the same line
				c.To = at
				hunks = append(hunks, &hunk{state: Placed, changes: []draft.LineChange{c}})
			}
			at = to
		}
		for _, h := range hunks {
			c, by := h.changes[0], 0
			for _, m := range made {
				if m.From < c.From || m.From == c.From && m.To == c.From {
					by += len(m.Lines) - (m.To - m.From)
				}
			}
			c.From, c.To = c.From+by, c.To+by
			want = append(want, c)
		}
		move(hunks, made)
		for i, h := range hunks {
			if got := h.changes[0]; h.state != Placed || got.From != want[i].From || got.To != want[i].To {
				t.Fatalf("seed %d: a change moves to %+v by %+v, not %+v", seed, got, made, want[i])
			}
		}
	}
}
