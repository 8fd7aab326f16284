package diff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// rewriteCases are the ways in which a text of n lines is rewritten: usual ones, and the
// inputs that are worst for a part of the diff.
var rewriteCases = []struct {
	name    string
	rewrite func(rng *rand.Rand, n int) (old, want string)
}{
	{"one-char", func(rng *rand.Rand, n int) (string, string) {
		lines := chance.CodeLines(rng, n)
		old := joinLines(lines)
		lines[n/2] = "#" + lines[n/2]
		return old, joinLines(lines)
	}},
	{"one-char-crlf", func(rng *rand.Rand, n int) (string, string) {
		lines := chance.CodeLines(rng, n)
		old := strings.Join(lines, "\r\n")
		lines[n/2] = "#" + lines[n/2]
		return old, strings.Join(lines, "\n")
	}},
	{"scatter-1%", func(rng *rand.Rand, n int) (string, string) { return scatter(rng, chance.CodeLines(rng, n), n/100) }},
	{"scatter-20%", func(rng *rand.Rand, n int) (string, string) { return scatter(rng, chance.CodeLines(rng, n), n/5) }},
	{"move-block", func(rng *rand.Rand, n int) (string, string) {
		lines := chance.CodeLines(rng, n)
		moved := append(append(append([]string{}, lines[:n/10]...), lines[n/5:n*7/10]...), lines[n/10:n/5]...)
		return joinLines(lines), joinLines(append(moved, lines[n*7/10:]...))
	}},
	{"reindent", func(rng *rand.Rand, n int) (string, string) {
		old := joinLines(chance.CodeLines(rng, n))
		return old, strings.ReplaceAll("\t"+strings.ReplaceAll(old, "\n", "\n\t"), "\t\n", "\n")
	}},
	{"reindent-in-block", func(rng *rand.Rand, n int) (string, string) {
		old := joinLines(chance.CodeLines(rng, n))
		return old, "if true {\n\t" + strings.ReplaceAll(old, "\n", "\n\t") + "\n}\n"
	}},
	{"all-differ", func(rng *rand.Rand, n int) (string, string) {
		return joinLines(chance.CodeLines(rng, n)), joinLines(chance.CodeLines(rng, n+n/10))
	}},
	{"all-differ-same-count", func(rng *rand.Rand, n int) (string, string) {
		return joinLines(chance.CodeLines(rng, n)), joinLines(chance.CodeLines(rng, n))
	}},
	{"shuffle", func(rng *rand.Rand, n int) (string, string) {
		lines := chance.CodeLines(rng, n)
		old := joinLines(lines)
		rng.Shuffle(n, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return old, joinLines(lines)
	}},
	{"few-symbols", func(rng *rand.Rand, n int) (string, string) {
		return joinLines(fewLines(rng, n)), joinLines(fewLines(rng, n))
	}},
	{"few-symbols-scatter", func(rng *rand.Rand, n int) (string, string) {
		return scatter(rng, fewLines(rng, n), n/100)
	}},
	{"few-symbols-reindent", func(rng *rand.Rand, n int) (string, string) {
		old := joinLines(fewLines(rng, n))
		return old, "{\n  " + strings.ReplaceAll(old, "\n", "\n  ")
	}},
	{"one-line-scatter", func(rng *rand.Rand, n int) (string, string) {
		old, want := scatter(rng, chance.CodeLines(rng, n), n/100)
		return strings.ReplaceAll(old, "\n", ";"), strings.ReplaceAll(want, "\n", ";")
	}},
	{"one-line-all-differ", func(rng *rand.Rand, n int) (string, string) {
		return strings.Join(chance.CodeLines(rng, n), ";"), strings.Join(chance.CodeLines(rng, n), ";")
	}},
	{"one-token", func(rng *rand.Rand, n int) (string, string) {
		old := []byte(strings.Repeat("abcdefghijklmnopqrstuvwxyz012345", n))
		want := append([]byte{}, old...)
		for range n {
			want[rng.IntN(len(want))] = 'Z'
		}
		return string(old), string(want)
	}},
	{"two-places", func(rng *rand.Rand, n int) (string, string) {
		lines := chance.CodeLines(rng, n)
		old := joinLines(lines)
		lines[5] += "#"
		lines[n-5] += "#"
		return old, joinLines(lines)
	}},
	{"one-line-repeated", func(rng *rand.Rand, n int) (string, string) {
		return scatter(rng, slices.Repeat([]string{"the same"}, n), n/100)
	}},
	{"periods", func(_ *rand.Rand, n int) (string, string) {
		periodic := func(period int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintln(&b, "line", i%period)
			}
			return b.String()
		}
		return periodic(7), periodic(11)
	}},
	{"crlf-to-lf", func(rng *rand.Rand, n int) (string, string) {
		want := joinLines(chance.CodeLines(rng, n))
		return strings.ReplaceAll(want, "\n", "\r\n"), want
	}},
	{"late-uniques", func(rng *rand.Rand, n int) (string, string) {
		// Each line becomes unique only when the one after it is cut off.
		var old, want []string
		for i := range n / 2 {
			old = append(old, fmt.Sprint("l", i), fmt.Sprint("l", i/2*2+1))
			want = append(want, fmt.Sprint("l", i/2*2+1), fmt.Sprint("l", i))
		}
		return joinLines(old), joinLines(want)
	}},
	{"lone-cr", func(rng *rand.Rand, n int) (string, string) {
		return strings.Repeat("x\n", n), strings.Repeat("y\r\r\n", n)
	}},
}

// BenchmarkRewrite compares the diff with itself at other sizes, by the time for each
// line, and its edits with the text that git diff sends, in percent.
func BenchmarkRewrite(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for _, c := range rewriteCases {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				old, want := c.rewrite(rand.New(rand.NewPCG(1, 0)), n)
				t := text.New(old)
				b.ReportAllocs()
				var es edits.Edits
				for b.Loop() {
					es = diff.Rewrite(t, 0, t.Len(), want)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
				b.ReportMetric(float64(len(es)), "edits")
				b.ReportMetric(float64(editBytes(es)), "edit-bytes")
				if git := gitText(b, old, want); git > 0 {
					b.ReportMetric(100*float64(editBytes(es))/float64(git), "%of-git")
				}
			})
		}
	}
}

// gitText returns how many bytes the lines have that git diff deletes and inserts; 0
// where there is no git.
func gitText(b *testing.B, old, want string) int {
	b.Helper()
	dir := b.TempDir()
	for name, s := range map[string]string{"old": old, "want": want} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	cmd := exec.CommandContext(b.Context(), "git", "diff", "--no-index", "--no-color", "--no-ext-diff", "--text", "-U0", "old", "want")
	cmd.Dir = dir
	out, _ := cmd.Output() // git diff fails if there is a difference
	size := 0
	_, hunks, _ := strings.Cut(string(out), "\n@@")
	for line := range strings.Lines(hunks) {
		if line[0] == '+' || line[0] == '-' {
			size += len(line) - 1
		}
	}
	return size
}

func BenchmarkUnified(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("scatter-1%%/%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 0))
			old, want := scatter(rng, chance.CodeLines(rng, n), n/100)
			t := text.New(old)
			es := diff.Rewrite(t, 0, t.Len(), want)
			after := es.Apply(t)
			b.ReportAllocs()
			for b.Loop() {
				diff.Unified("a/x", "b/x", t, after, es)
			}
		})
	}
}

// fewLines returns n lines of ten kinds.
func fewLines(rng *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", rng.IntN(10))
	}
	return lines
}

// scatter returns a text before and after some changes: half of them within a line, and as
// many inserted as emptied lines.
func scatter(rng *rand.Rand, lines []string, changes int) (old, want string) {
	old = joinLines(lines)
	out := append([]string{}, lines...)
	for k := range changes {
		i := rng.IntN(len(out))
		switch k % 4 {
		case 0, 1:
			out[i] += fmt.Sprint(" // ", k)
		case 2:
			out[i] = ""
		case 3:
			out[i] += fmt.Sprint("\nnew line ", k)
		}
	}
	return old, joinLines(out)
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") + "\n" }
