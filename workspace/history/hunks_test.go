package history_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
)

// hunks compares the reported hunks of edits with the model: each begins and ends with a
// character of its own, and contains all of its characters.
func (p *player) hunks() error {
	type name struct {
		id     string
		number int
	}
	at := 0
	own := map[name][]int{}   // the offsets of its characters
	ends := map[int]*cell{}   // by offset: the characters that end there, and
	begins := map[int]*cell{} // that begin there
	for _, c := range p.m.visible() {
		begins[at] = c
		if c.by >= 0 && p.m.ops[c.by].id != "" {
			n := name{p.m.ops[c.by].id, p.m.ops[c.by].hunk}
			own[n] = append(own[n], at)
		}
		at += len(string(c.r))
		ends[at] = c
	}
	hunks, now := p.h.Hunks()
	for _, h := range hunks {
		n := name{h.ID, h.Number}
		p.seen.hunks++
		if len(own[n]) > 0 && !(p.isOf(begins[h.Start], h.ID, h.Number) && p.isOf(ends[h.End], h.ID, h.Number)) {
			return fmt.Errorf("%+v does not begin and end with what the edit wrote, in %q", h, now)
		}
		for _, off := range own[n] {
			if off < h.Start || h.End <= off {
				return fmt.Errorf("%+v leaves out what stands at %d of %q", h, off, now)
			}
		}
		delete(own, n)
	}
	if len(own) > 0 {
		return fmt.Errorf("of %q there are no hunks: %v", now, own)
	}
	return nil
}

// isOf reports whether a hunk inserted the character, or the user restored it after
// deleting it.
func (p *player) isOf(c *cell, id string, hunk int) bool {
	for ; c != nil; c = c.was {
		if c.by >= 0 && p.m.isOf(c.by, id, hunk) {
			return true
		}
	}
	return false
}

func TestHunksOfEdits(t *testing.T) {
	type typed struct {
		at       int
		old, put string
	}
	for name, c := range map[string]struct {
		after []typed
		want  []string // what is left, in the text now
	}{
		"untouched":                 {nil, []string{"WRITTEN", ""}},
		"typed above":               {[]typed{{0, "", "xx"}}, []string{"WRITTEN", ""}},
		"typed at its ends":         {[]typed{{2, "", "x"}, {10, "", "y"}}, []string{"WRITTEN", ""}},
		"typed into it":             {[]typed{{5, "", "xyz"}}, []string{"WRIxyzTTEN", ""}},
		"typed into it, cut behind": {[]typed{{5, "", "xyz"}, {8, "TTEN", ""}}, []string{"WRI", ""}},
		"its middle cut":            {[]typed{{4, "ITT", ""}}, []string{"WREN", ""}},
		"cut over its end":          {[]typed{{7, "EN--", ""}}, []string{"WRITT", ""}},
		"all of it gone":            {[]typed{{2, "WRITTEN", ""}}, []string{""}},
		"typed where text was cut":  {[]typed{{11, "", "new"}}, []string{"WRITTEN", ""}},
		"what was cut put back":     {[]typed{{11, "", "gone"}}, []string{"WRITTEN"}},
		"put back, and typed on":    {[]typed{{11, "", "gone"}, {15, "", "x"}}, []string{"WRITTEN"}},
		"the text around cut":       {[]typed{{10, "--", ""}}, []string{"WRITTEN"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := history.New(text.New("--was--gone--"))
			record := func(id string, c changeset.Changeset) {
				from := h.Seq()
				h.Record(c, c.Edits().Apply(h.Text()))
				if id != "" {
					if err := h.Attribute(from, h.Seq(), id, nil, c); err != nil {
						t.Fatal(err)
					}
				}
			}
			record("e1", changeset.Changeset{{At: 2, Old: "was", New: "WRITTEN"}, {At: 7, Old: "gone"}})
			for _, c := range c.after {
				record("", changeset.Changeset{{At: c.at, Old: c.old, New: c.put}})
			}
			var got []string
			hunks, _ := h.Hunks()
			for _, hunk := range hunks {
				got = append(got, h.Text().Slice(hunk.Start, hunk.End))
				if hunk.ID != "e1" {
					t.Errorf("%+v", hunk)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q, in %q", got, c.want, h.Text())
			}
		})
	}
}

// Text equal to what an edit deleted may occur beside the edit: that is not what it deleted.
func TestHunkBesideItsLike(t *testing.T) {
	h := history.New(text.New("again\nagain\n"))
	c := changeset.Changeset{{At: 0, Old: "again\n"}}
	if err := h.Attribute(0, h.Record(c, apply(c, h.Text())), "e1", nil, c); err != nil {
		t.Fatal(err)
	}
	if hunks, _ := h.Hunks(); len(hunks) != 1 || hunks[0].Removed != 1 {
		t.Errorf("%+v", hunks)
	}
}

func TestKeptHunks(t *testing.T) {
	h := history.New(text.New("one two three four\n"))
	c := changeset.Changeset{{At: 0, Old: "one", New: "1"}, {At: 4, Old: "two", New: "2"}, {At: 8, Old: "three", New: "3"}}
	if err := h.Attribute(0, h.Record(c, apply(c, h.Text())), "e1", nil, c, 1, 1, 2); err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		var got []string
		hunks, now := h.Hunks()
		for _, hunk := range hunks {
			got = append(got, fmt.Sprint(hunk.Number, now.Slice(hunk.Start, hunk.End)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("11 2", "23")
	h.Keep("e1", 2)
	check("11 2")
	if undo, _, err := h.Undo("e1", 2); err != nil || len(undo) != 1 {
		t.Errorf("what is kept can be undone: %v, %v", undo, err)
	}
	h.Keep("")
	check()
	traces, _ := h.Traces()
	if len(traces) != 2 || traces[0].Number != 1 || traces[1].Number != 2 {
		t.Errorf("of the hunks that were kept there are %+v", traces)
	}
	h.End("e1", true)
	if _, _, err := h.Undo("e1"); err == nil {
		t.Error("an edit that is gone is undone")
	}
}

// An edit may be attributed after a later one: the hunks known until then are not all.
func TestHunksOfEditsToldLate(t *testing.T) {
	h := history.New(text.New("one two\n"))
	first, second := changeset.Changeset{{At: 0, Old: "one", New: "1"}}, changeset.Changeset{{At: 2, Old: "two", New: "2"}}
	h.Record(first, apply(first, h.Text()))
	h.Record(second, apply(second, h.Text()))
	for n, attribute := range []func() error{
		func() error { return h.Attribute(1, 2, "late", nil, second) },
		func() error { return h.Attribute(0, 1, "later", nil, first) },
	} {
		if err := attribute(); err != nil {
			t.Fatal(err)
		}
		if hunks, _ := h.Hunks(); len(hunks) != n+1 {
			t.Errorf("after %d edits: %+v", n+1, hunks)
		}
	}
}

// Very many hunks that deleted text beside equal text cost no more than others, or this
// would take hours. If an editor restores all of it, even in ten thousand places, no hunk
// is left.
func TestManyHunksBesideTheirLike(t *testing.T) {
	const n = 10_000
	h := history.New(text.New(strings.Repeat("line\nagain\nagain\n", n)))
	var c changeset.Changeset
	for i := range n {
		c = append(c, changeset.Change{At: i*17 + 5, Old: "again\n"})
	}
	if err := h.Attribute(0, h.Record(c, apply(c, h.Text())), "e1", nil, c); err != nil {
		t.Fatal(err)
	}
	expect := func(what string, want int) {
		t.Helper()
		if hunks, _ := h.Hunks(); len(hunks) != want {
			t.Errorf("%s: %d hunks, want %d", what, len(hunks), want)
		}
	}
	record := func(c changeset.Changeset) { h.Record(c, apply(c, h.Text())) }
	expect("after the edit", n)
	record(changeset.Changeset{{At: 0, New: "typed\n"}})
	expect("after a keystroke", n)
	record(changeset.Changeset{{At: 0, Old: "typed\n"}})
	record(c.Invert())
	expect("after undo", 0)
	record(c)
	expect("after redo", n)
}

func TestHistoryForgetsAnEdit(t *testing.T) {
	s := newSession(t, "one two three four\n")
	s.edit("a", "two", "zwei")
	s.edit("b", "one", "eins")
	s.edit("c", "four", "vier")
	if hunks, _ := s.Hunks(); len(hunks) != 3 {
		t.Fatalf("%+v", hunks)
	}
	s.End("a", false)
	s.End("nobody's", false)
	hunks, _ := s.Hunks()
	if len(hunks) != 2 || hunks[0].ID != "b" || hunks[1].ID != "c" {
		t.Errorf("%+v", hunks)
	}
	if _, _, err := s.Undo("a"); !errors.Is(err, history.ErrForgotten) {
		t.Errorf("%v", err)
	}
	s.undo("b", "one zwei three vier\n")
	s.End("c", false) // the newest, up to which the hunks are known
	if hunks, _ := s.Hunks(); len(hunks) != 0 {
		t.Errorf("%+v", hunks)
	}
}
