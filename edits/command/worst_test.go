package command_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
)

// BenchmarkWorstCases plans the most expensive cases, at half, once and twice the usual
// size, each next to one pass over the same bytes. Every case must end in the answer that
// it names, which may be an error.
func BenchmarkWorstCases(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(scale int) (doc string, call command.Replace)
	}{
		{"near-miss-of-2000-lines-in-200000-equal", func(scale int) (string, command.Replace) {
			return strings.Repeat("x = 1\n", 100_000*scale), command.Replace{Old: strings.Repeat("x = 1\n", 1000*scale) + "x = 2\n", New: "y\n", Lenient: true}
		}},
		{"line-of-5-MB", func(scale int) (string, command.Replace) {
			return strings.Repeat("some words, and more of them; ", 83_000*scale) + "the end\n", command.Replace{Old: "and the end", New: "x", Lenient: true}
		}},
		{"line-of-5-MB-not-ASCII", func(scale int) (string, command.Replace) {
			return strings.Repeat("日本語 “quoted” text — ", 75_000*scale), command.Replace{Old: "日本語 \"other\" text", New: "x", Lenient: true}
		}},
		{"100000-occurrences-are-ambiguous", func(scale int) (string, command.Replace) {
			return strings.Repeat("x = 1\n", 50_000*scale), command.Replace{Old: "x = 1", New: "x = 2"}
		}},
		{"100000-occurrences-are-replaced", func(scale int) (string, command.Replace) {
			return strings.Repeat("x = 1\n", 50_000*scale), command.Replace{Old: "x = 1", New: "x = 2", All: true}
		}},
		{"100000-occurrences-are-within-what-is-new", func(scale int) (string, command.Replace) {
			return strings.Repeat("x = 1\n", 50_000*scale), command.Replace{Old: "x = 1", New: "x = 12", All: true}
		}},
		{"100000-loose-occurrences", func(scale int) (string, command.Replace) {
			return strings.Repeat("\tx = 1\n\ty\n", 50_000*scale), command.Replace{Old: "  x = 1\n  y", New: "  x = 2\n  y", Lenient: true}
		}},
	} {
		for _, scale := range []int{1, 2, 4} {
			doc, call := c.make(scale)
			src := edits.Source{Path: "a.txt", Text: text.New(doc)}
			src.Text.Lines()
			b.Run(fmt.Sprintf("%s/%d%%", c.name, 50*scale), func(b *testing.B) {
				for b.Loop() {
					_, _ = call.Plan(src)
				}
			})
			if scale == 2 {
				raw := []byte(doc)
				b.Run(c.name+"/one-pass", func(b *testing.B) {
					for b.Loop() {
						bytes.Count(raw, []byte("\n"))
					}
				})
			}
		}
	}
}
