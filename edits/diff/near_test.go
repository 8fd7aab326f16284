package diff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestNear compares what Rewrite returns for the neighbourhood of a region with what it
// returns for the whole text.
func TestNear(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{"\n", "\r\n", "\r", "é", "日", "x = 1", "\ty := 2", " ", "}", "\xFF", "\n\n"}
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	parts := 0
	for range 3000 {
		long := func() string { return strings.Repeat(pieces[3+r.IntN(6)], r.IntN(3)<<9) }
		s := some(r.IntN(400)) + long() + some(r.IntN(20)) + long() + some(r.IntN(400)) + strings.Repeat(some(3), r.IntN(300))
		if r.IntN(8) == 0 {
			s = text.BOM + s
		}
		start := r.IntN(len(s) + 1)
		if r.IntN(4) == 0 {
			start = min(len(s), r.IntN(10))
		}
		end := min(len(s), start+r.IntN(60))
		want := some(r.IntN(8))
		if r.IntN(2) == 0 {
			want = s[start:end] + want
		}
		if r.IntN(2) == 0 && s != "" { // one line
			if r.IntN(4) > 0 {
				start = strings.LastIndexByte(s[:start], '\n') + 1
			}
			end = start + len(FirstLine(s[start:]))
			want = []string{s[start:end], some(1), s[start:end]}[r.IntN(3)] + some(r.IntN(3)) + "\n"
			if end > start {
				want = s[start:start+r.IntN(end-start)] + want
			}
		}
		part, _ := near(text.New(s), start, end)
		if len(part) < len(s) {
			parts++
		}
		got, whole := Rewrite(text.New(s), start, end, want), rewrite(s, start, end, want)
		if !slices.Equal(got, whole) {
			t.Fatalf("seed %d: [%d,%d) to be %q: by the part %q of %q got %v, want %v", seed, start, end, want, part, s, got, whole)
		}
	}
	if parts < 1000 {
		t.Errorf("seed %d: only %d texts were cut", seed, parts)
	}
}
