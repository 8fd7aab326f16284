package text_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
)

// BenchmarkFinder searches twice for a pattern, which tells whether it is unique, in 100
// MB of Go's own source: in one piece, and after a thousand edits. Each search is compared
// with bytes.IndexByte for an absent byte and bytes.Count for the pattern. The metrics are
// the mean of the median times of the searches, relative to one pass of IndexByte; the
// smallest speedup over Count; and the lowest speed, in GB/s.
func BenchmarkFinder(b *testing.B) {
	s := goSource(b, 100_000_000)
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []struct {
		name     string
		patterns []string
	}{
		{"1-line", uniqueBlocks(r, s, 1, 16)},
		{"3-lines", uniqueBlocks(r, s, 3, 12)},
		{"10-lines", uniqueBlocks(r, s, 10, 12)},
		{"40-lines", uniqueBlocks(r, s, 40, 8)},
		{"commonest-bytes-short", commonShort},
		{"commonest-bytes-long", commonLong},
	}
	for _, edited := range []bool{false, true} {
		name, t := "one-piece/", text.New(s)
		if edited {
			name, t = "edited/", scattered(r, t, 1000)
		}
		for _, k := range kinds {
			b.Run(name+k.name, func(b *testing.B) { searchAll(b, t, s, k.patterns) })
		}
	}
}

// commonShort and commonLong are patterns made only of the most common bytes in Go source,
// many of them periodic. The long ones exceed the length for which package bytes uses
// vector instructions.
var (
	commonShort = []string{
		"\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t", "te te te te", strings.Repeat("e", 40), "nt re ten t", "tettet", "rettter", "\tette\t",
		strings.Repeat("ten ", 8), strings.Repeat("t ", 20), strings.Repeat("er\t", 12),
	}
	commonLong = []string{
		strings.Repeat("\t", 80), strings.Repeat("e", 100), strings.Repeat("te", 50), strings.Repeat("ten ", 25),
		strings.Repeat("\t\tret", 20), strings.Repeat("e t r n ", 16), strings.Repeat("\t", 64) + "e", "e" + strings.Repeat(" ", 600),
	}
)

func searchAll(b *testing.B, t text.Text, s string, patterns []string) {
	b.Helper()
	raw := []byte(s)
	const rounds = 5
	size := float64(len(s)) / 1e9
	var all float64
	gbs, faster := 1e9, 1e9
	var passes []float64
	for b.Loop() {
		all, gbs, faster, passes = 0, 1e9, 1e9, passes[:0]
		for _, p := range patterns {
			var finds []float64
			for range rounds {
				passes = append(passes, timed(func() { bytes.IndexByte(raw, 0xFF) }))
				finds = append(finds, timed(func() {
					n := 0
					for range t.Matches(p, true) {
						if n++; n == 2 {
							b.Fatalf("%q is there twice", p)
						}
					}
				}))
			}
			count, find := timed(func() { bytes.Count(raw, []byte(p)) }), median(finds)
			all += find
			gbs = min(gbs, size/find)
			faster = min(faster, count/find)
			if testing.Verbose() {
				b.Logf("%6.1f GB/s, %5.1f times Count, %.60q", size/find, count/find, p)
			}
		}
	}
	b.ReportMetric(all/float64(len(patterns))/median(passes), "x-IndexByte")
	b.ReportMetric(gbs, "least-GB/s")
	b.ReportMetric(faster, "least-x-Count")
	b.ReportMetric(size/median(passes), "IndexByte-GB/s")
}

// timed returns how many seconds f takes.
func timed(f func()) float64 {
	begin := time.Now()
	f()
	return time.Since(begin).Seconds()
}

// goSource returns n bytes of the source of Go's standard library.
func goSource(b *testing.B, n int) string {
	b.Helper()
	var s strings.Builder
	s.Grow(n + 1<<20)
	kinds := []string{".go", ".s", ".txt", ".h", ".golden", ".json"}
	for _, kind := range kinds {
		err := filepath.WalkDir(filepath.Join(runtime.GOROOT(), "src"), func(path string, d fs.DirEntry, err error) error { //nolint:staticcheck // the source that is there
			if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != kind || s.Len() >= n {
				return err
			}
			data, err := os.ReadFile(path)
			s.Write(bytes.ReplaceAll(data, []byte{0xFF}, nil))
			return err
		})
		if err != nil {
			b.Skip(err)
		}
	}
	if s.Len() < n {
		b.Skipf("Go's source has only %d bytes here", s.Len())
	}
	return s.String()[:n]
}

// uniqueBlocks returns blocks of whole lines that are in s once.
func uniqueBlocks(r *rand.Rand, s string, lines, count int) []string {
	var out []string
	t := text.New(s)
	for len(out) < count {
		from := r.IntN(len(s))
		from += strings.IndexByte(s[from:], '\n') + 1
		to := from
		for range lines {
			to += strings.IndexByte(s[to:], '\n') + 1
		}
		n := 0
		if to > from {
			for range t.Matches(s[from:to], true) {
				if n++; n == 2 {
					break
				}
			}
		}
		if n == 1 {
			out = append(out, s[from:to])
		}
	}
	return out
}

// scattered returns t after n edits at random that change single characters.
func scattered(r *rand.Rand, t text.Text, n int) text.Text {
	buf := text.NewBuffer(t)
	for range n {
		at := r.IntN(t.Len())
		buf.Replace(at, at, "~")
	}
	return buf.Snapshot()
}
