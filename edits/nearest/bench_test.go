package nearest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// nearCases are the worst inputs for each part of the search for candidates: an old text
// that does not occur, and a document of percent of its full size.
var nearCases = []struct {
	name string
	make func(rng *rand.Rand, percent int) (old, doc string)
}{
	{"equal-lines-200k/near-miss-2k", func(_ *rand.Rand, percent int) (string, string) {
		return strings.Repeat("\tx = append(x, y)\n", 1000) + "\tx = append(x, z)\n" + strings.Repeat("\tx = append(x, y)\n", 999),
			strings.Repeat("\tx = append(x, y)\n", 2000*percent)
	}},
	{"one-line-5MB/fragment", func(rng *rand.Rand, percent int) (string, string) {
		doc := strings.Join(chance.CodeLines(rng, 1500*percent), ";")
		at := len(doc) * 2 / 3
		return doc[at:at+40] + "~" + doc[at+41:at+80], doc
	}},
	{"one-line-5MB/fragment-100k", func(rng *rand.Rand, percent int) (string, string) {
		doc := strings.Join(chance.CodeLines(rng, 1500*percent), ";")
		at := len(doc) / 3
		return doc[at:at+500*percent] + "~" + doc[at+501*percent:at+1000*percent], doc
	}},
	{"one-line-5MB/of-one-word", func(_ *rand.Rand, percent int) (string, string) {
		return strings.Repeat("ab ", 20) + "abc" + strings.Repeat("ab ", 20), strings.Repeat("ab ", 17_000*percent)
	}},
	{"one-line-5MB/among-lines", func(rng *rand.Rand, percent int) (string, string) {
		line := strings.Join(chance.CodeLines(rng, 1500*percent), ";")
		return "var data = [\n" + line[:100] + "~" + line[101:200], "var data = {\n" + line + "\n}\n"
	}},
	{"one-line-5MB/changed", func(rng *rand.Rand, percent int) (string, string) {
		line := strings.Join(chance.CodeLines(rng, 1500*percent), ";")
		return "var data = {\n" + line[:1000*percent] + "~" + line[1001*percent:len(line)-1000] + "~" + line[len(line)-1000:] + "\n}\n", "var data = {\n" + line + "\n}\n"
	}},
	{"near-equal-lines-100k/line", func(_ *rand.Rand, percent int) (string, string) {
		return "\tvalue_70 = computed(71, 72)\n", chance.NumberedLines(1000 * percent)
	}},
	{"near-equal-lines-100k/fragment", func(_ *rand.Rand, percent int) (string, string) {
		return "value_70 = computed(71, 72)", chance.NumberedLines(1000 * percent)
	}},
	{"near-equal-lines-100k/block-20k", func(_ *rand.Rand, percent int) (string, string) {
		doc := chance.NumberedLines(1000 * percent)
		at := strings.Index(doc[len(doc)/3:], "\n") + len(doc)/3 + 1
		end := strings.Index(doc[at+len(doc)/5:], "\n") + at + len(doc)/5 + 1
		return strings.ReplaceAll(doc[at:end], "9)\n", "!)\n"), doc
	}},
	{"code-100k/block-20k", func(rng *rand.Rand, percent int) (string, string) {
		lines := chance.CodeLines(rng, 1000*percent)
		part := append([]string{}, lines[300*percent:500*percent]...)
		for i := 0; i < len(part); i += 50 {
			part[i] += "!"
		}
		return joinLines(part), joinLines(lines)
	}},
	{"code-100k/block-20k-of-others", func(rng *rand.Rand, percent int) (string, string) {
		return joinLines(chance.CodeLines(rng, 200*percent)), joinLines(chance.CodeLines(rng, 1000*percent))
	}},
	{"code-100k/block-2k-of-others", func(rng *rand.Rand, percent int) (string, string) {
		return joinLines(chance.CodeLines(rng, 2000)), joinLines(chance.CodeLines(rng, 1000*percent))
	}},
	{"code-100k/block-200-of-others", func(rng *rand.Rand, percent int) (string, string) {
		return joinLines(chance.CodeLines(rng, 200)), joinLines(chance.CodeLines(rng, 1000*percent))
	}},
	{"code-100k/10-lines-indented", func(rng *rand.Rand, percent int) (string, string) {
		lines := chance.CodeLines(rng, 1000*percent)
		return strings.ReplaceAll(joinLines(lines[500*percent:500*percent+10]), "\t", "    "), joinLines(lines)
	}},
}

// BenchmarkCandidates prints the best time next to that of counting the line ends of the
// same bytes. It is the best time because that of a busy machine says little.
func BenchmarkCandidates(b *testing.B) {
	for _, c := range nearCases {
		for _, percent := range []int{50, 100, 200} {
			b.Run(fmt.Sprintf("%s/%d%%", c.name, percent), func(b *testing.B) {
				old, doc := c.make(rand.New(rand.NewPCG(1, 0)), percent)
				raw := []byte(doc)
				var found []edits.Candidate
				best, counting := time.Hour, time.Hour
				for b.Loop() {
					begin := time.Now()
					// A new text each time, so that finding its lines is counted.
					found, _ = nearest.Find(edits.Source{Path: "a", Text: text.New(doc)}, old, 3)
					best = min(best, time.Since(begin))
					begin = time.Now()
					bytes.Count(raw, []byte("\n"))
					counting = min(counting, time.Since(begin))
				}
				b.ReportMetric(float64(len(doc))/1e6, "MB")
				b.ReportMetric(float64(best.Nanoseconds())/1e6, "best-ms")
				b.ReportMetric(float64(counting.Nanoseconds())/1e6, "bytes.Count-ms")
				b.ReportMetric(float64(len(found)), "found")
			})
		}
	}
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") + "\n" }
