package command

import (
	"errors"
	"fmt"
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

// TestPlacesAreToldApart: a line nearby distinguishes a place from the others, or one that opens a block that it is in.
func TestPlacesAreToldApart(t *testing.T) {
	body := "    a()\n    b()\n    c()\n    x = 1\n    d()\n    e()\n    f()\n"
	deep := "    if q:\n        a()\n        b()\n        c()\n        x = 1\n        d()\n        e()\n        f()\n"
	for _, c := range []struct {
		name, doc string
		want      []string // by place
	}{
		{"nearby", "y\nx = 1\nz\nx = 1\n", []string{"1 y", "3 z"}},
		{"by the line that opens the block", "def f():\n" + body + "def g():\n" + body, []string{"1 def f(): opens", "9 def g(): opens"}},
		{"by the block around that", "def f():\n" + deep + "def g():\n" + deep, []string{"1 def f(): opens", "10 def g(): opens"}},
		{"one by its block", "def f():\n" + body + "def f():\n" + body + "def g():\n" + body, []string{"", "", "17 def g(): opens"}},
		{"by nothing", "a()\nb()\nc()\nx = 1\na()\nb()\nc()\na()\nb()\nc()\nx = 1\na()\nb()\nc()\n", []string{"", ""}},
		{"tabs and blank lines", "f {\n\n\ta\n\ta\n\ta\n\tx = 1\n\ta\n\ta\n\ta\n}\ng {\n\n\ta\n\ta\n\ta\n\tx = 1\n\ta\n\ta\n\ta\n}\n", []string{"1 f { opens", "11 g { opens"}},
	} {
		_, err := Replace{Old: "x = 1", New: "x = 2"}.Plan(edits.Source{Path: "a", Text: text.New(c.doc)})
		e, _ := errors.AsType[*edits.Error](err)
		var got []string
		for _, m := range e.Matches {
			s := ""
			if m.Context != nil {
				s = fmt.Sprintf("%d %s", m.Context.Line, m.Context.Text)
				if m.Context.Opens {
					s += " opens"
				}
			}
			got = append(got, s)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
