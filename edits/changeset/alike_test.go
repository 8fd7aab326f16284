package changeset_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// TestAlike: two changes are alike exactly if they make the same text, except for text
// that was inserted in or deleted from the second one.
func TestAlike(t *testing.T) {
	alike := 0
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s := randomCells(rng, 4*size)
		a, b := oneChange(rng, s), oneChange(rng, s)
		if len(a) == 0 || len(b) == 0 {
			return
		}
		_, got := changeset.Alike(text.New(s), a[0], b)
		want := sameBut(t, s, a, b)
		if size := len(b[0].New); size > 0 { // reported at the place of the other
			moved := changeset.Changeset{{At: a[0].At, New: changed(t, b, s)[a[0].At:][:min(size, len(s)+size-a[0].At)]}}
			want = want || changed(t, moved, s) == changed(t, b, s) && sameBut(t, s, a, moved)
		}
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

// sameBut reports whether a and b turn s into the same text, after a part of what b
// inserts is left out, or a part of what a inserts if b leaves enough.
func sameBut(t *testing.T, s string, a, b changeset.Changeset) bool {
	t.Helper()
	want, longer := changed(t, a, s), len(b[0].New)-len(a[0].New)
	if b[0].Old != "" || a[0].Old != "" {
		return want == changed(t, b, s)
	}
	for at := 0; longer >= 0 && at+longer <= len(b[0].New); at++ {
		less := changeset.Changeset{{At: b[0].At, New: b[0].New[:at] + b[0].New[at+longer:]}}
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
func oneChange(rng *rand.Rand, s string) changeset.Changeset {
	for _, c := range randomChanges(rng, s) {
		if (c.Old == "") != (c.New == "") {
			return changeset.Changeset{c}
		}
	}
	return nil
}

// TestAlikeAlways checks Alike on all short texts of two letters: two deletions, or two
// insertions, are alike if and only if they make the same text.
func TestAlikeAlways(t *testing.T) {
	for n := range 7 {
		for bits := range 1 << n {
			s := letters(bits, n)
			for size := 1; size <= 3; size++ {
				for at := range n + 1 {
					for other := range n + 1 {
						if max(at, other)+size <= n {
							c, r := changeset.Change{At: at, Old: s[at : at+size]}, changeset.Change{At: other, Old: s[other : other+size]}
							checkAlike(t, s, c, r)
						}
						for put := range 1 << size {
							for as := range 1 << size {
								checkAlike(t, s, changeset.Change{At: at, New: letters(put, size)}, changeset.Change{At: other, New: letters(as, size)})
							}
						}
					}
				}
			}
		}
	}
}

func checkAlike(t *testing.T, s string, c, r changeset.Change) {
	t.Helper()
	doc := text.New(s)
	same := changeset.Changeset{c}.Edits().Apply(doc).Equal(changeset.Changeset{r}.Edits().Apply(doc))
	if _, ok := changeset.Alike(doc, c, changeset.Changeset{r}); ok != same {
		t.Fatalf("%q: %+v and %+v: alike %t, and the same text %t", s, c, r, ok, same)
	}
}

func letters(bits, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab"[bits>>i&1]
	}
	return string(b)
}
