package place_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// BenchmarkPlacing compares placing hunks without line numbers, with three lines of
// context on either side, with one pass over the lines of the text. It also times the
// worst cases.
func BenchmarkPlacing(b *testing.B) {
	for _, lines := range []int{10_000, 100_000, 1_000_000} {
		doc := chance.NumberedLines(lines)
		src := edits.Source{Path: "a", Text: text.New(doc)}
		all := strings.Split(strings.TrimSuffix(doc, "\n"), "\n")
		src.Text.Lines()
		for _, hunks := range []int{1, 50, 500} {
			for _, kind := range []string{"exact", "indented", "look-alikes"} {
				f := hunksOf(all, hunks, kind)
				b.Run(fmt.Sprintf("%d-lines/%d-hunks/%s", lines, hunks, kind), func(b *testing.B) {
					for b.Loop() {
						if _, err := place.Plan(f, src, place.Options{}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
		b.Run(fmt.Sprintf("%d-lines/one-pass", lines), func(b *testing.B) {
			for b.Loop() {
				strings.Count(doc, "\n")
			}
		})
	}
	for _, scale := range []int{1, 2, 4} {
		src := edits.Source{Path: "a", Text: text.New(strings.Repeat("\tx = append(x, y)\n", 50_000*scale))}
		h := patch.Hunk{Line: 1}
		for range 500 * scale {
			h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine, Text: "\tx = append(x, y)"})
		}
		h.Lines = append(h.Lines, patch.Line{Kind: patch.DeletedLine, Text: "\tx = append(x, z)"})
		f := patch.File{Path: "a", Hunks: []patch.Hunk{h}}
		b.Run(fmt.Sprintf("near-miss-in-equal-lines/%d%%", 25*scale), func(b *testing.B) {
			for b.Loop() {
				_, _ = place.Plan(f, src, place.Options{})
			}
		})
	}
}

// hunksOf returns hunks that change single lines all over the text.
func hunksOf(lines []string, count int, kind string) patch.File {
	f := patch.File{Path: "a"}
	for i := range count {
		at := 3 + i*(len(lines)-7)/count
		h := patch.Hunk{Line: 1}
		add := func(kind patch.LineKind, s string) { h.Lines = append(h.Lines, patch.Line{Kind: kind, Text: s}) }
		quote := func(s string) string {
			switch kind {
			case "indented":
				return "\t\t" + s
			case "look-alikes":
				return strings.Replace(s, " ", "\u00a0", 1)
			}
			return s
		}
		for k := at - 3; k < at; k++ {
			add(patch.KeptLine, quote(lines[k]))
		}
		add(patch.DeletedLine, quote(lines[at]))
		add(patch.AddedLine, quote(lines[at]+" // changed"))
		for k := at + 1; k < at+4; k++ {
			add(patch.KeptLine, quote(lines[k]))
		}
		f.Hunks = append(f.Hunks, h)
	}
	return f
}
