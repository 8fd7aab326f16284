package command

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestIndentRandom takes some lines out of real sources, and has them put in again by an edit that was sent with other
// indentation than the file's. The edit gives the source, or is refused. PATCHLS_SEED repeats a run, and PATCHLS_INDENT_STEPS
// makes it longer.
func TestIndentRandom(t *testing.T) {
	t.Parallel()
	seed, steps := chance.Seed(t), int(chance.Cases(t, "PATCHLS_INDENT_STEPS", 3000))
	sources, err := filepath.Glob("testdata/indented/*.txt")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	right, refused := 0, 0
	for n := range steps {
		c, ok := randomIndent(t, r, sources)
		if !ok {
			continue
		}
		src := edits.Source{Text: text.New(c.before)}
		plan, err := Replace{Old: c.old, New: c.put, Lenient: true}.Plan(src)
		switch {
		case err != nil:
			refused++
		case plan.Edits.Apply(src.Text).String() == c.after:
			right++
		default:
			t.Fatalf("PATCHLS_SEED=%d, step %d: %s is wrong\n-- old\n%s-- new\n%s", seed, n, c.shape, c.old, c.put)
		}
	}
	t.Logf("%d right, %d refused", right, refused)
	if refused*20 > right {
		t.Error("more than one of 20 is refused")
	}
}

// indentCase is an edit that was sent with another indentation than the text's.
type indentCase struct{ before, after, old, put, shape string }

// randomIndent returns a case, false if an exact search finds what was sent, or several places are alike.
func randomIndent(t *testing.T, r *rand.Rand, sources []string) (c indentCase, ok bool) {
	t.Helper()
	name := sources[r.IntN(len(sources))]
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(raw), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	n := 3 + r.IntN(12)
	at := r.IntN(len(lines) - n)
	block := lines[at : at+n]
	from := 1 + r.IntN(n-2)
	to := min(n-1, from+1+r.IntN(4))
	switch r.IntN(6) {
	case 0: // the new lines come first
		from, to = 0, min(n-1, 1+r.IntN(3))
	case 1: // or last
		from, to = max(1, n-1-r.IntN(3)), n
	}
	without := func(block []string) string { return strings.Join(slices.Concat(block[:from], block[to:]), "") }
	isBlank := func(l string) bool { return strings.TrimSpace(l) == "" }
	if isBlank(block[0]) || isBlank(slices.Concat(block[:from], block[to:])[0]) || isBlank(strings.Join(block[from:to], "")) {
		return c, false
	}
	shape := indentShapes[r.IntN(len(indentShapes))]
	sent := slices.Clone(block)
	margin := marginOf(block)
	for i, l := range block {
		if isBlank(l) {
			continue
		}
		as, can := shape.as(l[:elision.IndentOf(l)], margin, i == 0)
		if !can || strings.Contains(name, ".yml") && shape.levels { // what stands beside a dash is no level
			return c, false
		}
		sent[i] = as + l[elision.IndentOf(l):]
	}
	c = indentCase{
		before: strings.Join(lines[:at], "") + without(block) + strings.Join(lines[at+n:], ""), after: strings.Join(lines, ""),
		old: without(sent), put: strings.Join(sent, ""), shape: name + ", " + shape.name,
	}
	flat := func(s string) string {
		all := strings.SplitAfter(s, "\n")
		for i, l := range all {
			all[i] = strings.TrimLeft(l, " \t")
		}
		return "\n" + strings.Join(all, "")
	}
	return c, !strings.Contains(c.before, c.old) && strings.Count(flat(c.before), flat(without(block))) == 1
}

// marginOf returns the indentation that all lines have.
func marginOf(lines []string) string {
	margin, first := "", true
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if first {
			margin, first = l[:elision.IndentOf(l)], false
		}
		for !strings.HasPrefix(l, margin) {
			margin = margin[:len(margin)-1]
		}
	}
	return margin
}

// indentShapes are the ways in which an indentation is sent otherwise than it stands, false if it cannot be.
var indentShapes = []struct {
	name   string
	levels bool // other levels than the file's
	as     func(indent, margin string, first bool) (string, bool)
}{
	{"tabs as four blanks", false, func(indent, _ string, _ bool) (string, bool) {
		return strings.ReplaceAll(indent, "\t", "    "), true
	}},
	{"tabs as two blanks", false, func(indent, _ string, _ bool) (string, bool) {
		return strings.ReplaceAll(indent, "\t", "  "), true
	}},
	{"four blanks as tabs", true, func(indent, _ string, _ bool) (string, bool) {
		return strings.ReplaceAll(indent, "    ", "\t"), len(indent)%4 == 0
	}},
	{"two blanks as four", true, func(indent, _ string, _ bool) (string, bool) {
		return strings.ReplaceAll(indent, "  ", "    "), true
	}},
	{"four blanks as two", true, func(indent, _ string, _ bool) (string, bool) {
		return strings.ReplaceAll(indent, "    ", "  "), len(indent)%4 == 0
	}},
	{"at the margin", false, func(indent, margin string, _ bool) (string, bool) {
		return indent[len(margin):], true
	}},
	{"at the margin, tabs as four blanks", false, func(indent, margin string, _ bool) (string, bool) {
		return strings.ReplaceAll(indent[len(margin):], "\t", "    "), true
	}},
	{"a level deeper", false, func(indent, margin string, _ bool) (string, bool) {
		if strings.HasPrefix(margin, "\t") {
			return "\t" + indent, true
		}
		return "    " + indent, margin != ""
	}},
	{"a blank deeper", false, func(indent, _ string, _ bool) (string, bool) {
		return " " + indent, true
	}},
	{"the first line without", false, func(indent, _ string, first bool) (string, bool) {
		if first {
			return "", indent != ""
		}
		return indent, true
	}},
}
