package edits_test

import (
	"math/rand/v2"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// TestAlike: two changes are alike exactly if they make the same text.
func TestAlike(t *testing.T) {
	alike := 0
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s := randomCells(rng, 4*size)
		a, b := oneChange(rng, s), oneChange(rng, s)
		if len(a) == 0 || len(b) == 0 {
			return
		}
		_, got := edits.Alike(text.New(s), a[0], b)
		want := changed(t, a, s) == changed(t, b, s)
		if want {
			alike++
		}
		if got != want {
			t.Errorf("%q: %v and %v are alike: %t, want %t", s, a, b, got, want)
		}
	})
	if alike == 0 {
		t.Error("no two were alike")
	}
}

// oneChange returns an insertion or a deletion of three bytes or more, nil if it drew
// none.
func oneChange(rng *rand.Rand, s string) edits.Changeset {
	for _, c := range randomChanges(rng, s) {
		if (c.Old == "") != (c.New == "") && c.Size() >= 3 {
			return edits.Changeset{c}
		}
	}
	return nil
}
