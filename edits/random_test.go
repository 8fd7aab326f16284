package edits_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// seeded returns a source of random numbers, and has the test say how to run
// again if it fails.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("EDITS_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("EDITS_SEED: %v", err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to run this again: EDITS_SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
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
