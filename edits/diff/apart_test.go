package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestRewriteFarPlaces changes long texts in a few places, and requires edits of the
// changed text only.
func TestRewriteFarPlaces(t *testing.T) {
	rng := chance.Rand(t)
	for range 40 {
		lines := chance.CodeLines(rng, 1000+rng.IntN(2000))
		out := slices.Clone(lines)
		changed := 0
		for k := range 1 + rng.IntN(20) {
			changed += 2 // a line end that is another one's
			i := rng.IntN(len(out))
			switch was := out[i]; rng.IntN(4) {
			case 0:
				out[i] += fmt.Sprint(" // é", k)
			case 1:
				out[i] = fmt.Sprint("今日", k)
				changed += len(was)
			case 2:
				out[i] += strings.Repeat(fmt.Sprint("\nnew line ", k), 1+rng.IntN(40))
			case 3:
				out = slices.Delete(out, i, i+1)
				changed += len(was) + 1
			}
		}
		old, want := joinLines(lines), joinLines(out)
		changed += max(0, len(want)-len(old)+changed)
		if rng.IntN(3) == 0 {
			old = strings.ReplaceAll(old, "\n", "\r\n")
			changed = 2 * changed
		}
		if es := checkRewrite(t, old, 0, len(old), want); editBytes(es) > changed {
			t.Errorf("%d bytes of edits, but %d bytes changed", editBytes(es), changed)
		}
		if t.Failed() {
			return
		}
	}
}

// TestRewriteOnePlace requires one edit, of only the changed bytes, for text inserted or
// deleted at one place, however long the text.
func TestRewriteOnePlace(t *testing.T) {
	rng := chance.Rand(t)
	for range 100 {
		s := joinLines(chance.CodeLines(rng, 1+rng.IntN(1500)))
		start, end := chance.Range(rng, s)
		if rng.IntN(2) == 0 {
			end = min(len(s), start+rng.IntN(60))
		}
		less := s[:start] + s[end:]
		for _, c := range [][2]string{{s, less}, {less, s}} {
			es := checkRewrite(t, c[0], 0, len(c[0]), c[1])
			if n := min(1, end-start); len(es) != n || editBytes(es) != end-start {
				t.Errorf("%d edits of %d bytes for %q at %d", len(es), editBytes(es), s[start:end], start)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestRewriteAlikeParts takes one part out of a text whose parts differ in their
// names alone: they must not be renamed one after the other.
func TestRewriteAlikeParts(t *testing.T) {
	for _, height := range []int{5, 30, 100} {
		part := func(i int) string {
			var b strings.Builder
			fmt.Fprintf(&b, "- name: part%d\n", i)
			for k := range height {
				fmt.Fprintf(&b, "  setting of a part number %d: the same in each\n", k)
			}
			return b.String()
		}
		var parts []string
		for i := range 3000 / height {
			parts = append(parts, part(i))
		}
		old := strings.Join(parts, "")
		for _, gone := range []int{1, 7} {
			want := strings.Join(slices.Delete(slices.Clone(parts), 3, 3+gone), "")
			size := len(old) - len(want)
			for _, c := range [][2]string{{old, want}, {want, old}} {
				if es := checkRewrite(t, c[0], 0, len(c[0]), c[1]); len(es) != 1 || editBytes(es) != size {
					t.Errorf("%d parts of %d lines: %d edits of %d bytes, want one of %d", gone, height, len(es), editBytes(es), size)
				}
			}
		}
		// With another change behind it, the deleted part is between two places.
		want := strings.Join(slices.Delete(slices.Clone(parts), 3, 4), "") + "end\n"
		if es := checkRewrite(t, old, 0, len(old), want); len(es) != 2 || editBytes(es) != len(part(3))+len("end\n") {
			t.Errorf("a part of %d lines gone and a line more: %d edits of %d bytes", height, len(es), editBytes(es))
		}
	}
}

// TestRewriteMaxEdits requires edits of only the indentation up to the bound on the number
// of edits, and a single edit above it.
func TestRewriteMaxEdits(t *testing.T) {
	for _, tt := range []struct{ lines, edits, bytes int }{
		{diff.MaxEdits, diff.MaxEdits, diff.MaxEdits},
		{diff.MaxEdits + 1, 1, (diff.MaxEdits + 1) * len("x\n"+"\tx\n")},
	} {
		old, want := strings.Repeat("x\n", tt.lines), strings.Repeat("\tx\n", tt.lines)
		es := checkRewrite(t, old, 0, len(old), want)
		if len(es) != tt.edits || editBytes(es) > tt.bytes {
			t.Errorf("%d lines: %d edits of %d bytes, want %d of at most %d", tt.lines, len(es), editBytes(es), tt.edits, tt.bytes)
		}
	}
}

// FuzzRewriteLong makes changes in two places of a text long enough for the shortcut.
func FuzzRewriteLong(f *testing.F) {
	base := joinLines(chance.CodeLines(rand.New(rand.NewPCG(1, 0)), 800))
	f.Add(uint16(100), uint16(120), "x", uint16(9000), uint16(9000), "new\nline\n", false)
	f.Add(uint16(0), uint16(8000), "", uint16(17000), uint16(17001), "é\r\n", true)
	f.Add(uint16(5000), uint16(5600), base[9000:9600], uint16(9000), uint16(9600), base[5000:5600], false)
	f.Fuzz(func(t *testing.T, from, to uint16, put string, from2, to2 uint16, put2 string, crlf bool) {
		cuts := []int{int(from) % len(base), int(to) % len(base), int(from2) % len(base), int(to2) % len(base)}
		slices.Sort(cuts)
		old, want := base, base[:cuts[0]]+put+base[cuts[1]:cuts[2]]+put2+base[cuts[3]:]
		if crlf {
			old = strings.ReplaceAll(old, "\n", "\r\n")
		}
		checkRewrite(t, old, 0, len(old), want)
		if utf8.ValidString(want) {
			checkRewrite(t, want, 0, len(want), old)
		}
	})
}

// BenchmarkWrite is the command write as a whole. Compare it with the diff alone: the
// rest must not cost more.
func BenchmarkWrite(b *testing.B) {
	for _, c := range rewriteCases[:3] {
		b.Run(c.name, func(b *testing.B) {
			old, want := c.rewrite(rand.New(rand.NewPCG(1, 0)), 100_000)
			src := edits.Source{Path: "a.go", Text: text.New(old)}
			b.Run("plan", func(b *testing.B) {
				for b.Loop() {
					if _, err := (command.Write{Content: want}).Plan(src); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("diff", func(b *testing.B) {
				for b.Loop() {
					diff.Rewrite(src.Text, 0, len(old), want)
				}
			})
		})
	}
}
