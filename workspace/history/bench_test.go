package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
)

// remembered returns a history with n edits, each of a line of its own, a change that
// types one more character in line 1, and the texts with and without it.
func remembered(b *testing.B, n int) (h *history.History, put changeset.Changeset, with, without text.Text) {
	b.Helper()
	h = history.New(text.New(strings.Repeat("some line of a file\n", n+10)))
	for i := range n {
		c := changeset.Changeset{{At: (i+5)*20 + 5, Old: "line", New: "LINE"}}
		if err := h.Attribute(i, h.Record(c, apply(c, h.Text())), fmt.Sprint(i), nil, c); err != nil {
			b.Fatal(err)
		}
	}
	put = changeset.Changeset{{At: 25, New: "x"}}
	without = h.Text()
	return h, put, apply(put, without), without
}

func BenchmarkHistoryRecord(b *testing.B) {
	for _, n := range []int{0, 1000} {
		b.Run(fmt.Sprintf("edits=%d", n), func(b *testing.B) {
			h, put, with, without := remembered(b, n)
			back := put.Invert()
			for b.Loop() {
				h.Record(put, with)
				h.Record(back, without)
			}
		})
	}
}

// Scattered keystrokes stay as many changes; typing on in one place becomes one.
func BenchmarkHistoryUndo(b *testing.B) {
	for name, step := range map[string]int{"typing on": 1, "scattered": 37} {
		b.Run("after 10000 keystrokes/"+name, func(b *testing.B) {
			h, _, _, _ := remembered(b, 1000)
			for i := range 10_000 {
				c := changeset.Changeset{{At: 200 + i*step%15_000, New: "x"}} // behind edit 0
				h.Record(c, apply(c, h.Text()))
			}
			for b.Loop() {
				if _, _, err := h.Undo("0"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a code lens costs after a keystroke.
func BenchmarkHunks(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("edits=%d", n), func(b *testing.B) {
			h, put, with, without := remembered(b, n)
			back := put.Invert()
			for b.Loop() {
				h.Record(put, with)
				if hunks, _ := h.Hunks(); len(hunks) != n {
					b.Fatal(len(hunks))
				}
				h.Record(back, without)
			}
		})
	}
}

// The cost of finding that no edit was undone, where each of many edits deleted a line
// beside an equal one.
func BenchmarkHistoryHunksBesideTheirLike(b *testing.B) {
	const n = 1000
	h := history.New(text.New(strings.Repeat("line\nagain\nagain\n", n)))
	for i := range n {
		c := changeset.Changeset{{At: i*11 + 5, Old: "again\n"}}
		if err := h.Attribute(h.Seq(), h.Record(c, apply(c, h.Text())), fmt.Sprint(i), nil, c); err != nil {
			b.Fatal(err)
		}
	}
	c := changeset.Changeset{{At: 0, New: "typed\n"}}
	h.Record(c, apply(c, h.Text()))
	for b.Loop() {
		h.Hunks()
	}
}
