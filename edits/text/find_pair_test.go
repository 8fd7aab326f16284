package text

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Both searches for two bytes find the first place and no other, wherever it is in a
// block, and do not read past the end.
func TestIndexPair(t *testing.T) {
	naive := func(s []byte, gap int, a, b byte) int {
		for i := 0; i+gap < len(s); i++ {
			if s[i] == a && s[i+gap] == b {
				return i
			}
		}
		return -1
	}
	r := rand.New(rand.NewPCG(1, 2))
	letters := []byte{'a', 'b', 0, 0x7F, 0x80, 0x81, 0xFF}
	for range 20_000 {
		buf := make([]byte, 1+r.IntN(300))
		for i := range buf {
			buf[i] = letters[r.IntN(len(letters))]
			if r.IntN(4) > 0 {
				buf[i] = '.'
			}
		}
		s := bytes.Clone(buf)[r.IntN(min(len(buf), 17)):]
		if len(s) < 2 {
			continue
		}
		gap := 1 + r.IntN(min(len(s)-1, maxGap))
		a, b := letters[r.IntN(len(letters))], letters[r.IntN(len(letters))]
		want := naive(s, gap, a, b)
		if got := indexPair(s, gap, a, b); got != want {
			t.Fatalf("indexPair(%q, %d, %q, %q) = %d, want %d", s, gap, a, b, got, want)
		}
		if got := indexPairWords(s, gap, a, b); got != want {
			t.Fatalf("indexPairWords(%q, %d, %q, %q) = %d, want %d", s, gap, a, b, got, want)
		}
	}
}
