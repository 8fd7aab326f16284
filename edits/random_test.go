package edits_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/internal/testkit/chance"
)

// seeded returns a source of random numbers.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(chance.Seed(t), 0))
}

// randomText returns less than n lines, few of them different, with line ends
// of any kind.
func randomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n) {
		b.WriteString([]string{"", "", "\t", "  "}[rng.IntN(4)])
		b.WriteString([]string{"a", "b", "foo(a, b)", "return é", "}", "", "今日", "\r", "x\ry"}[rng.IntN(9)])
		b.WriteString([]string{"", "", "", "\t"}[rng.IntN(4)])
		b.WriteString([]string{"\n", "\n", "\r\n"}[rng.IntN(3)])
	}
	if rng.IntN(3) == 0 {
		b.WriteString("end")
	}
	return b.String()
}

// randomRange returns a range of s between code points.
func randomRange(rng *rand.Rand, s string) (start, end int) {
	at := func() int {
		i := rng.IntN(len(s) + 1)
		for i < len(s) && !utf8.RuneStart(s[i]) {
			i++
		}
		return i
	}
	start, end = at(), at()
	return min(start, end), max(start, end)
}
