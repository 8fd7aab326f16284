package place_test

import (
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	near "github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

// BenchmarkPlaceNear reports what a failure costs on 1 000 000 lines of Go's own source
// after one more typed character, as medians in ms: a hunk that matches nowhere; only the
// search for the places nearest to it, with the hashes kept; an old_str that matches
// nowhere, with its nearest places; and counting the line ends of the text, which is one
// pass.
func BenchmarkPlaceNear(b *testing.B) {
	const size = 1_000_000
	doc, lines := goLines(b, size)
	whole := text.New(doc)
	buf := text.NewBuffer(whole)
	for _, c := range []struct {
		name  string
		lines int
		lie   func(s string) string
	}{
		{"a-word-of-7-lines", 7, func(s string) string { return strings.Replace(s, "(", "Elsewhere(", 1) }},
		{"a-word-of-40-lines", 40, func(s string) string { return strings.Replace(s, "(", "Elsewhere(", 1) }},
		{"a-word-of-1-line", 1, func(s string) string { return strings.Replace(s, "(", "Elsewhere(", 1) }},
		{"7-lines-of-others", 7, func(s string) string { return strings.NewReplacer("e", "oo", "t", "ck", "(", "<").Replace(s) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var hunks, nearest, replaces, passes []float64
			for b.Loop() {
				for round := range 7 {
					at := 1000 + round*(size-2000)/7
					for lines[at] == "" || !strings.Contains(strings.Join(lines[at:at+c.lines], "\n"), "(") || !isOnly(whole, strings.Join(lines[at:at+c.lines], "\n")) {
						at++
					}
					sent := c.lie(strings.Join(lines[at:at+c.lines], "\n"))
					typed := whole.LineStart(at / 2)
					buf.Replace(typed, typed, " ")
					src := edits.Source{Path: "a", Text: buf.Snapshot()}
					h := patch.Hunk{Line: 1}
					for l := range strings.SplitSeq(sent, "\n") {
						h.Lines = append(h.Lines, patch.Line{Kind: patch.DeletedLine, Text: l})
					}
					f := patch.File{Path: "a", Hunks: []patch.Hunk{h}}
					hunks = append(hunks, 1e3*taken(func() {
						if _, err := place.Plan(f, src, place.Options{}); err == nil {
							b.Fatal("the hunk has a place")
						}
					}))
					nearest = append(nearest, 1e3*taken(func() { near.Find(src, sent+"\n", 3) }))
					replaces = append(replaces, 1e3*taken(func() {
						if _, err := (command.Replace{Old: sent, New: "x", Lenient: true}).Plan(src); err == nil {
							b.Fatal("old_str has a place")
						}
					}))
					passes = append(passes, 1e3*taken(func() { strings.Count(doc, "\n") }))
					buf.Replace(typed, typed+1, "")
				}
			}
			b.ReportMetric(middle(hunks), "ms-hunk")
			b.ReportMetric(middle(nearest), "ms-nearest")
			b.ReportMetric(middle(replaces), "ms-str_replace")
			b.ReportMetric(middle(passes), "ms-pass")
		})
	}
}

func taken(f func()) float64 {
	began := time.Now()
	f()
	return time.Since(began).Seconds()
}
