package place_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

// BenchmarkPlaceHunks plans context patches of 1 to 500 hunks on lines of Go's own source,
// each after one more typed character: with context that matches exactly, and with tabs
// that became four blanks. The metrics are medians in ms, the time of 500 hunks relative
// to one, and the cost of the first plan on a text, which hashes its lines.
func BenchmarkPlaceHunks(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		doc, lines := goLines(b, size)
		whole := text.New(doc)
		for _, drifted := range []bool{false, true} {
			name := map[bool]string{false: "exact", true: "drifted"}[drifted]
			b.Run(fmt.Sprintf("%d-lines/%s", size, name), func(b *testing.B) {
				const rounds = 11
				times := map[int][]float64{}
				patches := map[int]patch.File{}
				for _, hunks := range []int{1, 50, 500} {
					patches[hunks] = uniqueHunks(whole, lines, hunks, drifted)
				}
				buf := text.NewBuffer(text.New(doc))
				began := time.Now()
				if _, err := place.Plan(patches[1], edits.Source{Path: "a", Text: buf.Snapshot()}, place.Options{}); err != nil {
					b.Fatal(err)
				}
				first := time.Since(began)
				for b.Loop() {
					for round := range rounds {
						for _, hunks := range []int{1, 50, 500} {
							f := patches[hunks]
							between := 10 + round*40*(size-1000)/500 + (size-1000)/1000
							at := whole.LineStart(between)
							buf.Replace(at, at, "\n")
							now := edits.Source{Path: "a", Text: buf.Snapshot()}
							began := time.Now()
							if _, err := place.Plan(f, now, place.Options{}); err != nil {
								b.Fatal(err)
							}
							times[hunks] = append(times[hunks], time.Since(began).Seconds()*1e3)
							buf.Replace(at, at+1, "")
						}
					}
				}
				for _, hunks := range []int{1, 50, 500} {
					b.ReportMetric(middle(times[hunks]), fmt.Sprintf("ms/%d-hunks", hunks))
				}
				b.ReportMetric(middle(times[500])/middle(times[1]), "x-500/1")
				b.ReportMetric(first.Seconds()*1e3, "ms-first")
			})
		}
	}
}

func middle(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// goLines returns lines of the source of Go's standard library, n of them.
func goLines(b *testing.B, n int) (doc string, lines []string) {
	b.Helper()
	var s strings.Builder
	err := filepath.WalkDir(filepath.Join(runtime.GOROOT(), "src"), func(path string, d fs.DirEntry, err error) error { //nolint:staticcheck // the source that is there
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".go" || s.Len() > 60*n {
			return err
		}
		data, err := os.ReadFile(path)
		s.Write(data)
		return err
	})
	if err != nil || strings.Count(s.String(), "\n") < n {
		b.Skip("Go's source is not all here")
	}
	lines = strings.SplitN(s.String(), "\n", n+1)[:n]
	return strings.Join(lines, "\n") + "\n", lines
}

// uniqueHunks returns hunks of three lines of context on either side of a changed
// one, all over the lines, in places that are the only ones.
func uniqueHunks(t text.Text, lines []string, count int, drifted bool) patch.File {
	f := patch.File{Path: "a"}
	at := 0
	for i := range count {
		at = max(at+8, 10+i*(len(lines)-1000)/count)
		for !strings.HasPrefix(lines[at], "\t") || strings.HasSuffix(lines[at], "{") || !isOnly(t, strings.Join(lines[at-3:at+4], "\n")) {
			at++
		}
		f.Hunks = append(f.Hunks, patch.Hunk{Line: 1})
		h := &f.Hunks[i]
		for k := at - 3; k <= at+3; k++ {
			l := lines[k]
			if drifted {
				bare := strings.TrimLeft(l, "\t")
				l = strings.Repeat("    ", len(l)-len(bare)) + bare
			}
			if k != at {
				h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine, Text: l})
				continue
			}
			h.Lines = append(h.Lines, patch.Line{Kind: patch.DeletedLine, Text: l}, patch.Line{Kind: patch.AddedLine, Text: l + " // changed"})
		}
	}
	return f
}

// isOnly reports whether s is in t once.
func isOnly(t text.Text, s string) bool {
	n := 0
	for range t.Matches(s, true) {
		if n++; n > 1 {
			return false
		}
	}
	return n == 1
}

// BenchmarkPlacingBelowOneAnchor plans patches of 2,000 and of 8,000 hunks, each below the
// header of the only class in a text of 60,000 lines. The scope of an anchor is found
// once. The metric is the time of the larger patch relative to the smaller one.
func BenchmarkPlacingBelowOneAnchor(b *testing.B) {
	var doc strings.Builder
	doc.WriteString("class Foo:\n")
	for i := range 60_000 {
		fmt.Fprintf(&doc, "    a%d = %d\n", i, i)
	}
	src := edits.Source{Path: "a.py", Text: text.New(doc.String())}
	patches := map[int]patch.File{}
	for _, n := range []int{2_000, 8_000} {
		var written strings.Builder
		written.WriteString("*** Begin Patch\n*** Update File: a.py\n")
		for i := range n {
			at := i * (60_000 / n)
			fmt.Fprintf(&written, "@@ class Foo:\n-    a%d = %d\n+    a%d = 0\n", at, at, at)
		}
		parsed, err := patch.Parse(written.String() + "*** End Patch\n")
		if err != nil {
			b.Fatal(err)
		}
		patches[n] = parsed.Files[0]
	}
	times := map[int][]float64{}
	for b.Loop() {
		for range 3 {
			for n, f := range patches {
				began := time.Now()
				if _, err := place.Plan(f, src, place.Options{}); err != nil {
					b.Fatal(err)
				}
				times[n] = append(times[n], time.Since(began).Seconds()*1e3)
			}
		}
	}
	b.ReportMetric(middle(times[2_000]), "ms/2000-hunks")
	b.ReportMetric(middle(times[8_000]), "ms/8000-hunks")
	b.ReportMetric(middle(times[8_000])/middle(times[2_000]), "x-8000/2000")
}
