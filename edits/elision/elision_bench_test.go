package elision

import (
	"strings"
	"testing"
)

// BenchmarkElidedText takes a long text, each line of which may elide something,
// and one that nothing elides.
func BenchmarkElidedText(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"code", "\tx := f(a, b)\n"},
		{"comments", "\t// The others that are there\n"},
		{"remarks", "\t// ... the others that are there\n"},
		{"ellipses", "\t// ...\n"},
	} {
		text := strings.Repeat(c.line, 100_000)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(nothing, text, text)
			}
		})
	}
}
