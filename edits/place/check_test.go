package place_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

// Each hunk is reported separately, while planning all of them returns the error of the
// first hunk that fails.
func TestPlaceTellsOfEachHunk(t *testing.T) {
	const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\nseven\neight\nnine\n"
	for _, c := range []struct {
		name, hunks string
		want        []string
	}{
		{"all placed", "@@\n-two\n+2\n+II\n@@\n-five\n+5\n", []string{"placed 2 exact", "placed 5 exact"}},
		{"by a loose tier", "@@\n-  six\n+  6\n", []string{"placed 6 indentation"}},
		{"in place", "@@\n one\n-zwei\n+two\n three\n@@\n-nine\n+9\n", []string{"in place 2", "placed 10 exact"}},
		{"all that fail", "@@\n-absent\n+1\n@@\n-two\n+2\n@@\n-seven\n+7\n", []string{
			"context_not_found 1", "placed 2 exact", "context_ambiguous 3"}},
		{"one that leaves something out", "@@\n-two\n+2\n@@\n-five\n+... existing code ...\n@@\n-absent\n+x\n", []string{
			"placed 2 exact", "placeholder 2", "context_not_found 3"}},
		{"two that meet", "@@\n-two\n-three\n+2\n@@\n-three\n-four\n+4\n@@\n-nine\n+9\n", []string{
			"placed 2 exact", "context_not_found 2", "placed 10 exact"}},
		{"one on the other", "@@\n-two\n+2\n+II\n@@\n-II\n+ii\n", []string{"placed 2 exact", "placed 2 exact"}},
	} {
		sent, err := patch.Parse("*** Begin Patch\n*** Update File: a\n" + c.hunks + "*** End Patch\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		src := edits.Source{Path: "a", Text: text.New(before)}
		pl := place.Find(sent.Files[0], src, place.Options{})
		var got []string
		for i, at := range pl.Places {
			switch e := pl.Reason(i); {
			case e != nil:
				got = append(got, fmt.Sprint(e.Kind, " ", e.Hunk))
			case at.State == place.Placed:
				got = append(got, fmt.Sprint("placed ", at.Line, " ", at.Tier))
			default:
				got = append(got, fmt.Sprint("in place ", at.Line))
			}
		}
		if strings.Join(got, ", ") != strings.Join(c.want, ", ") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		plan, wantErr := place.Plan(sent.Files[0], src, place.Options{})
		placed, err := pl.Plan()
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !plan.Edits.Apply(src.Text).Equal(placed.Edits.Apply(src.Text)) {
			t.Errorf("%s: the plan is %+v (%v), want %+v (%v)", c.name, placed, err, plan, wantErr)
		}
	}
}

// A hunk that fails for what it would write is named by the error.
func TestPlaceholderNamesItsHunk(t *testing.T) {
	sent, err := patch.Parse("*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n@@\n-two\n+... rest of code ...\n*** End Patch\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = place.Plan(sent.Files[0], edits.Source{Path: "a", Text: text.New("one\ntwo\n")}, place.Options{})
	if e, ok := errors.AsType[*edits.Error](err); !ok || e.Kind != edits.Placeholder || e.Hunk != 2 {
		t.Errorf("%+v", err)
	}
}

// Line numbers in errors are those of the current text, without the lines that other hunks
// of the patch would add above.
func TestLinesInErrorsAreThoseOfTheText(t *testing.T) {
	const grows = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n+2\n+3\n"
	src := edits.Source{Path: "a", Text: text.New("one\ntwo\nthree\nalpha\nbeta gamma delto\nfive\ndup\nsix\ndup\nif somewhere(x) {\n")}
	for _, c := range []struct{ hunk, says string }{
		{"@@\n alpha\n-beta gamma delta\n+x\n", "the closest is lines 4-5 (91% alike), where line 5 differs"},
		{"@@\n-dup\n+d\n", "has 2 places in a, at lines 7 and 9"},
		{"@@ if somewhere(y) {\n-dup\n+d\n", "the closest is line 10"},
	} {
		sent, err := patch.Parse(grows + c.hunk + "*** End Patch\n")
		if err != nil {
			t.Fatal(err)
		}
		_, err = place.Plan(sent.Files[0], src, place.Options{})
		e, ok := errors.AsType[*edits.Error](err)
		if !ok || !strings.Contains(e.Message, c.says) {
			t.Errorf("%v, want %q", err, c.says)
			continue
		}
		for _, m := range e.Matches {
			if m.Context != nil && src.Text.Slice(src.Text.Line(m.Context.Line-1).Start, src.Text.Line(m.Context.Line-1).End) != m.Context.Text {
				t.Errorf("line %d is not %q", m.Context.Line, m.Context.Text)
			}
		}
		for _, near := range e.Candidates {
			if first := src.Text.Line(near.StartLine - 1); !strings.HasPrefix(near.Text, src.Text.Slice(first.Start, first.End)) {
				t.Errorf("line %d is not that of %q", near.StartLine, near.Text)
			}
		}
	}
}
