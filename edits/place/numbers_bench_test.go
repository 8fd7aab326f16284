package place_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

// BenchmarkPlaceNumbered plans hunks that all have as many places as the text has lines; the number of each chooses one.
// The cost of a hunk must grow by no more than the search of the text for the lines of all hunks, which is one.
func BenchmarkPlaceNumbered(b *testing.B) {
	const hunks = 500
	for _, lines := range []int{7_500, 60_000} {
		src := edits.Source{Path: "a", Text: text.New(strings.Repeat("x\n", lines))}
		f := patch.File{Path: "a"}
		for i := range hunks {
			h := patch.Hunk{Line: 1, Numbered: true, Start: 1 + i*(lines/hunks)}
			for _, kind := range []patch.LineKind{patch.KeptLine, patch.DeletedLine, patch.AddedLine, patch.KeptLine} {
				h.Lines = append(h.Lines, patch.Line{Kind: kind, Text: map[bool]string{true: "y", false: "x"}[kind == patch.AddedLine]})
			}
			f.Hunks = append(f.Hunks, h)
		}
		b.Run(fmt.Sprintf("%d-places", lines), func(b *testing.B) {
			for b.Loop() {
				if _, err := place.Plan(f, src, place.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/hunks, "us/hunk")
		})
	}
}
