package command_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// planned is a command of edits/command, or a patch to one file.
type planned interface {
	Plan(of edits.Source) (edits.Plan, error)
}

// patched is a patch to one file.
type patched struct {
	patch string
	how   place.Options
}

func (p patched) Plan(of edits.Source) (edits.Plan, error) {
	f, err := patch.Parse(p.patch)
	if err != nil {
		return edits.Plan{}, err
	}
	return place.Plan(f.Files[0], of, p.how)
}

// TestAllocationIsInProportion plans commands on texts of two sizes that have as many places for them
// as possible. What is allocated, garbage included, is in proportion to the text.
func TestAllocationIsInProportion(t *testing.T) {
	chance.Long(t)
	const (
		refused = 64   // times the text, for a command that shows places and changes nothing
		all     = 1000 // for one that changes them all, garbage of each place included
	)
	hunk := "@@\n x = 1\n-x = 1\n+x = 2\n"
	codex := func(hunks string) string {
		return "*** Begin Patch\n*** Update File: a\n" + hunks + "*** End Patch\n"
	}
	for _, c := range []struct {
		name, text string
		call       planned
		most       int
	}{
		{"a letter", "a", command.Replace{Old: "a", New: "b"}, refused},
		{"a letter in each line", "a\n", command.Replace{Old: "a", New: "b", Lenient: true}, refused},
		{"a line end", "\n", command.Replace{Old: "\n", New: "x\n"}, refused},
		{"a letter far from a line", "a\n", command.Replace{Old: "a", New: "b", NearLine: 1 << 30}, refused},
		{"a line", "x = 1\n", command.Replace{Old: "x = 1\n", New: "x = 2\n"}, refused},
		{"lines indented otherwise", "\tx = 1\n\ty\n", command.Replace{Old: "  x = 1\n  y\n", New: "  x = 2\n  y\n", Lenient: true}, refused},
		{"lines indented otherwise, exactly", "\tx = 1\n\ty\n", command.Replace{Old: "  x = 1\n  y\n", New: "  x = 2\n  y\n"}, refused},
		{"lines with other blanks at their ends", "x = 1 \ny \n", command.Replace{Old: "x = 1\ny\n", New: "z\n", Lenient: true}, refused},
		{"look-alikes", "say “hi”\n", command.Replace{Old: `say "hi"`, New: "z", Lenient: true}, refused},
		{"quoted numbers", "x = 1\n", command.Replace{Old: "9000000\tx = 1\n9000001\tx = 1\n", New: "z\n", Lenient: true}, refused},
		{"lines left out", "x = 1\n", command.Replace{Old: "x = 1\n...\nx = 1\n", New: "z\n...\nx = 1\n", Lenient: true}, refused},
		{"nothing", "x = 1\n", command.Replace{Old: "x = 7\ny = 3\n", New: "z\n", Lenient: true}, refused},
		{"lines that have moved", "x = 1\n", command.EditLines{Edits: []command.LineEdit{{From: 1 << 30, To: 1 << 30, Expect: "x = 1"}}}, refused},
		{"a patch", "x = 1\n", patched{patch: codex(hunk)}, refused},
		{"a patch with an anchor", "x = 1\n", patched{patch: codex(strings.Replace(hunk, "@@", "@@ x = 1", 1))}, refused},
		{"a patch with line numbers", "x = 1\n", patched{patch: "--- a\n+++ a\n" + strings.Replace(hunk, "@@", "@@ -9000000,2 +9000000,2 @@", 1)}, refused},
		{"a patch indented otherwise", "\tx = 1\n", patched{patch: codex(strings.ReplaceAll(hunk, "x =", "  x ="))}, refused},
		{"a patch that takes the first", "x = 1\n", patched{codex(hunk), place.Options{First: true}}, refused},
		{"all letters", "a", command.Replace{Old: "a", New: "b", All: true}, all},
		{"all letters, in place", "a", command.Replace{Old: "a", New: "aa", All: true}, all},
		{"all lines", "a\n", command.Replace{Old: "a", New: "b", All: true}, all},
		{"all lines indented otherwise", "\tx = 1\n\ty\n", command.Replace{Old: "  x = 1\n  y\n", New: "  x = 2\n  y\n", All: true, Lenient: true}, all},
		{"all look-alikes", "say “hi”\n", command.Replace{Old: `say "hi"`, New: "z", All: true, Lenient: true}, all},
	} {
		for _, size := range []int{1 << 15, 1 << 17} {
			of := edits.Source{Path: "a", Text: text.New(strings.Repeat(c.text, size/len(c.text)))}
			of.Text.Lines()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			plan, err := c.call.Plan(of)
			runtime.ReadMemStats(&after)
			if got := int(after.TotalAlloc - before.TotalAlloc); got > c.most*size+1<<20 {
				t.Errorf("%s: %d bytes are allocated for a text of %d, %d times as many; the error is %v", c.name, got, size, got/size, err)
			}
			if len(plan.Edits) > diff.MaxEdits {
				t.Errorf("%s: there are %d edits, %v", c.name, len(plan.Edits), err)
			}
		}
	}
}

// TestManyReplacements replaces more places than an editor gets edits for: they become one edit, with the
// same text, and the message counts them.
func TestManyReplacements(t *testing.T) {
	for _, n := range []int{diff.MaxEdits, diff.MaxEdits + 1, 3 * diff.MaxEdits} {
		s := "head\r\n" + strings.Repeat("x = 1;\r\ny = 2\r\n", n) + "tail"
		src := edits.Source{Path: "a", Text: text.New(s)}
		p, err := command.Replace{Old: "1;\ny", New: "11;\nz", All: true}.Plan(src)
		if err != nil || p.Places != n || !strings.Contains(p.Message, edits.Count(n, "occurrence")) {
			t.Fatalf("%d places: %v, %d are counted: %s", n, err, p.Places, p.Message)
		}
		if got, want := p.Edits.Apply(src.Text).String(), strings.ReplaceAll(s, "1;\r\ny", "11;\r\nz"); got != want {
			t.Errorf("%d places: the text has %d bytes and should have %d", n, len(got), len(want))
		}
		if err := p.Edits.Validate(len(s)); err != nil || len(p.Edits) > diff.MaxEdits || p.Hunks[0].Match != edits.Exact {
			t.Errorf("%d places: %d edits, %v", n, len(p.Edits), err)
		}
	}
}

// TestNewTextIsBounded replaces a text that stands often by a long one.
func TestNewTextIsBounded(t *testing.T) {
	src := edits.Source{Path: "a", Text: text.New(strings.Repeat("a;", 1000))}
	long := strings.Repeat("long ", 20_000)
	if _, err := (command.Replace{Old: "a", New: long, All: true}).Plan(src); !edits.IsKind(err, edits.TooLarge) {
		t.Errorf("100 MB for 2 KB: %v", err)
	}
	if _, err := (command.Replace{Old: "a;a;", New: long, All: true}).Plan(src); err != nil {
		t.Errorf("50 MB: %v", err)
	}
}
