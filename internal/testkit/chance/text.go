package chance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Rand returns a source of random numbers that begins with [Seed].
func Rand(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}

// Text returns less than n lines, few of them different, with line ends
// of any kind.
func Text(rng *rand.Rand, n int) string {
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

// Range returns a range of s between code points.
func Range(rng *rand.Rand, s string) (start, end int) {
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

// CodeLines returns n lines that look like code: indented, most of them unique,
// some empty or a bracket alone.
func CodeLines(rng *rand.Rand, n int) []string {
	words := strings.Fields("return value err nil range index buffer reader context handler request response total count parse write close open node tree")
	word := func() string { return words[rng.IntN(len(words))] }
	lines := make([]string, n)
	for i := range lines {
		indent := strings.Repeat("\t", rng.IntN(4))
		switch rng.IntN(10) {
		case 0:
		case 1:
			lines[i] = indent + "}"
		default:
			lines[i] = fmt.Sprintf("%s%s%d := %s.%s(%s, %d)", indent, word(), rng.IntN(1000), word(), word(), word(), rng.IntN(n))
		}
	}
	return lines
}

// NumberedLines returns n lines that differ in their numbers.
func NumberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tvalue_%d = compute(%d, %d)\n", i, i+1, i+2)
	}
	return b.String()
}
