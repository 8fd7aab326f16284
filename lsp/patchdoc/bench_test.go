package patchdoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// BenchmarkPatchDocument checks a patch of hunks with three lines of context on either
// side, as an editor opens it and after a keystroke in one of the files that it changes,
// up to the diagnostics. The metrics are medians in ms, and how many times as long ten
// times the hunks take. Of the lost ones each fourth has no place, for which what comes
// near is sought.
func BenchmarkPatchDocument(b *testing.B) {
	for _, bench := range []struct {
		files, lines int
		kind         string
	}{{1, 10_000, "exact"}, {1, 10_000, "drifted"}, {1, 10_000, "lost"}, {50, 1000, "exact"}, {50, 1000, "lost"}} {
		b.Run(fmt.Sprintf("%d-files/%s", bench.files, bench.kind), func(b *testing.B) {
			const rounds = 5
			opened, typed := map[int][]float64{}, map[int][]float64{}
			for b.Loop() {
				for _, hunks := range []int{50, 500} {
					c, patch := benchPatch(b, bench.files, bench.lines, hunks, bench.kind)
					key, _ := paths.KeyOf("file:///w/x.patch")
					for i := range rounds {
						c.Open(&workspace.Document{Key: key, URI: "file:///w/x.patch"})
						doc := c.Documents.Get(key)
						began := time.Now()
						p := c.read(doc).check()
						said := p.diagnose()
						opened[hunks] = append(opened[hunks], time.Since(began).Seconds()*1e3)
						if len(p.hunks) != hunks || (len(said) == 0) != (bench.kind != "lost") {
							b.Fatalf("%d hunks, %d diagnostics of %d bytes", len(p.hunks), len(said), len(patch))
						}
						for k := range rounds {
							at := text.Position{Line: k, Character: i} // above all hunks
							target, _ := paths.KeyOf("file:///w/0.go")
							if !c.Documents.Change(target, int32(2+i*rounds+k), []workspace.Change{{Range: workspace.Range{Start: at, End: at}, Text: "x"}}, text.UTF16) {
								b.Fatal("it is not open")
							}
							began := time.Now()
							c.read(doc).check().diagnose()
							typed[hunks] = append(typed[hunks], time.Since(began).Seconds()*1e3)
						}
					}
				}
			}
			for name, of := range map[string]map[int][]float64{"opened": opened, "typed": typed} {
				slices.Sort(of[50])
				slices.Sort(of[500])
				b.ReportMetric(of[500][len(of[500])/2], "ms-"+name)
				b.ReportMetric(of[500][len(of[500])/2]/of[50][len(of[50])/2], "x-10-"+name)
			}
		})
	}
}

// benchPatch returns a server that has a patch open, and the patched files, with that
// many lines each.
func benchPatch(b *testing.B, files, lines, hunks int, kind string) (c *Checker, patch string) {
	b.Helper()
	c = newChecker("/w")
	var p strings.Builder
	for f := range files {
		all := make([]string, lines)
		for i := range all {
			all[i] = fmt.Sprintf("\tvalue%d := compute(%d, %q) // of file %d", i, i*f, "some text", f)
		}
		name := fmt.Sprintf("%d.go", f)
		putDocument(b, c, name, strings.Join(all, "\n")+"\n")
		fmt.Fprintf(&p, "--- a/%s\n+++ b/%s\n", name, name)
		each := hunks / files
		for h := range each {
			at := 5 + h*(lines-20)/each
			fmt.Fprintf(&p, "@@ -%d,7 +%d,7 @@\n", at+1, at+1)
			for k := range 7 {
				line := all[at+k]
				if kind == "drifted" {
					line = "  " + strings.TrimPrefix(line, "\t")
				}
				if kind == "lost" && h%4 == 0 && k == 4 {
					line += " that nobody wrote"
				}
				if k == 3 {
					fmt.Fprintf(&p, "-%s\n+%s and more\n", line, line)
				} else {
					fmt.Fprintf(&p, " %s\n", line)
				}
			}
		}
	}
	patch = p.String()
	putDocument(b, c, "x.patch", patch)
	return c, patch
}
