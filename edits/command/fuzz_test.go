package command

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/reread"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/hunktext"
)

// quotedNumber is the number of a line, as tools show it.
var quotedNumber = regexp.MustCompile(`^ *L?\d+ ?[→\t|:)]`)

// readings returns the lines that a line of a hunk may stand for: itself, what follows the
// number that it quotes, and its unescaped form.
func readings(line string) []string {
	all := []string{line}
	if number := quotedNumber.FindString(line); number != "" {
		bare := line[len(number):]
		all = append(all, bare, strings.TrimPrefix(bare, " "))
	}
	for _, read := range reread.Rereadings {
		if bare, _, ok := read.As(line, ""); ok {
			all = append(all, strings.Split(bare, "\n")...)
		}
	}
	return all
}

// FuzzPlacing checks for any text and any hunks, also by codex' rule: the edits are valid,
// the inverse undoes them, and every line that loses text equals, under the widest fold, a
// line that a hunk deletes.
func FuzzPlacing(f *testing.F) {
	for _, s := range []struct{ doc, hunks string }{
		{"a\nb\nc\n", " a\n-b\n+B\n c\n"},
		{"k\nv\nk\nv\n", "@@\n k\n-v\n+V\n@@\n k\n-v\n+V\n"},
		{"class A:\n\tdef f():\n\t\tx\nclass B:\n\tdef f():\n\t\tx\n", "@@ class B\n@@ def f\n-    x\n+    y\n"},
		{"# “hi”\r\nx = 1  \r\n", "@2\n # \"hi\"\n-x = 1\n+x = 2\n$\n"},
		{"a\u200bb\ncafe\u0301", "-ab\n+c\n"},
		{"a\nb", "+c\n$\n@@\n-b\n+d\n@@\n d\n+e\n\n"},
		{"x\n", "@1\n+y\n@@\n-y\n"},
		{"x = 10", "@3\n-  3\tx = 10\n"},
		{"a = \"b\"\nc\n", "-a = \\\"b\\\"\n"},
		{"a\nb\n", "-a\\nb\n"},
	} {
		f.Add(s.doc, s.hunks, false)
		f.Add(s.doc, s.hunks, true)
	}
	for _, c := range carefulCases(200) {
		f.Add(draft.JoinLines(c.doc), hunktext.Print(c.hunk()), false)
	}
	f.Fuzz(func(t *testing.T, doc, hunks string, first bool) {
		if len(doc) > 2000 || len(hunks) > 2000 {
			return
		}
		src := edits.Source{Path: "a", Text: text.New(doc)}
		written := patch.File{Path: "a", Hunks: hunktext.Read(hunks)}
		plan, err := place.Plan(written, src, place.Options{First: first})
		if err != nil {
			if !errors.As(err, new(*edits.Error)) {
				t.Fatal(err)
			}
			return
		}
		if err := plan.Edits.Validate(len(doc)); err != nil {
			t.Fatal(err)
		}
		after := plan.Edits.Apply(src.Text)
		if back := changeset.Of(plan.Edits, src.Text).Invert().Edits().Apply(after); back.String() != doc {
			t.Fatalf("the inverse gives %q", back)
		}
		gone := map[string]bool{}
		for _, h := range written.Hunks {
			for _, l := range h.Lines {
				if l.Kind == patch.DeletedLine {
					for _, read := range readings(strings.TrimPrefix(l.Text, text.BOM)) {
						gone[match.LookAlikeFold.Line(read)] = true
					}
				}
			}
		}
		for _, e := range plan.Edits {
			for i := src.Text.LineAt(e.Start); e.Start < e.End && i < src.Text.Lines() && src.Text.Line(i).Start < e.End; i++ {
				l := src.Text.Line(i)
				if e.Start < l.End && !gone[match.LookAlikeFold.Line(src.Text.Slice(l.Start, l.End))] {
					t.Fatalf("edit %+v of %q changes line %d, which no hunk takes out", e, doc, i+1)
				}
			}
		}
	})
}
