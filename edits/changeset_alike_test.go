package edits_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// TestAlike: two changes are alike exactly if they make the same text, but for what is
// put into the second one, or taken out of it.
func TestAlike(t *testing.T) {
	alike := 0
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s := randomCells(rng, 4*size)
		a, b := oneChange(rng, s), oneChange(rng, s)
		if len(a) == 0 || len(b) == 0 {
			return
		}
		_, got := edits.Alike(text.New(s), a[0], b)
		want := sameBut(t, s, a, b)
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

// sameBut reports whether a and b make the same text of s if something is left out of
// what b inserts, or out of what a does where b leaves enough.
func sameBut(t *testing.T, s string, a, b edits.Changeset) bool {
	t.Helper()
	want, longer := changed(t, a, s), len(b[0].New)-len(a[0].New)
	if b[0].Old != "" || a[0].Old != "" {
		return want == changed(t, b, s)
	}
	for at := 0; longer >= 0 && at+longer <= len(b[0].New); at++ {
		less := edits.Changeset{{At: b[0].At, New: b[0].New[:at] + b[0].New[at+longer:]}}
		if changed(t, less, s) == want {
			return true
		}
	}
	at := b[0].At
	if longer >= 0 || len(b[0].New) < 3 || !strings.HasPrefix(want, s[:at]) || !strings.HasSuffix(want, s[at:]) {
		return false
	}
	for piece := at; piece <= at+len(b[0].New); piece++ {
		if want[:piece]+want[piece-longer:] == changed(t, b, s) {
			return true
		}
	}
	return false
}

// oneChange returns an insertion or a deletion, nil if it drew none.
func oneChange(rng *rand.Rand, s string) edits.Changeset {
	for _, c := range randomChanges(rng, s) {
		if (c.Old == "") != (c.New == "") {
			return edits.Changeset{c}
		}
	}
	return nil
}
