package command

import (
	"slices"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// TestHunkNumbersOfALastLine: an editor that keeps the end of the text deletes a last line
// together with the line end before it, which does not belong to the hunk above.
func TestHunkNumbersOfALastLine(t *testing.T) {
	src := edits.Source{Path: "a.txt", Text: text.New("one\ntwo\nthree")}
	p, err := EditLines{Edits: []LineEdit{{From: 1, To: 1}, {From: 3, To: 3}}}.Plan(src)
	if err != nil {
		t.Fatal(err)
	}
	p.Edits[1].Start -= len("\n")
	if got := diff.HunkNumbers(p, src.Text); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%+v are of the hunks %v", p.Edits, got)
	}
}
