package changeset_test

import (
	"math/rand/v2"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// A composition has the effect of its parts. What can be carried over the composition and
// over its parts gives the same result both ways, unless some text is inserted and deleted
// again: then an insertion next to it may end on either side.
func TestThenApart(t *testing.T) {
	both, cancelled, kept := 0, 0, 0
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s0 := randomCells(rng, 2*size)
		a := randomChanges(rng, s0)
		s1 := changed(t, a, s0)
		b := randomChanges(rng, s1)
		s2 := changed(t, b, s1)
		d := randomChanges(rng, s2)
		s3 := changed(t, d, s2)
		for _, apart := range []changeset.Changeset{a.ThenApart(b).ThenApart(d), a.ThenApart(b.ThenApart(d))} {
			if got := changed(t, apart.Then(nil), s0); got != s3 {
				t.Errorf("%q: %v, %v, %v together give %q, want %q", s0, a, b, d, got, s3)
			}
			if got := changed(t, apart.Invert().Then(nil), s3); got != s0 {
				t.Errorf("%q: %v, %v, %v together take %q back to %q", s0, a, b, d, s3, got)
			}
			c := randomChanges(rng, s0)
			once, each := changeset.Carry(c), changeset.Carry(c)
			rest, meet := once.Over(apart)
			met := false
			for _, next := range []changeset.Changeset{a, b, d} {
				_, meet := each.Over(next)
				met = met || meet != nil
			}
			switch {
			case meet == nil && !met:
				comesAndGoes := apart.Size() < a.Size()+b.Size()+d.Size()
				if !comesAndGoes {
					both++
				}
				x, y := changed(t, once.Changeset(), s3), changed(t, each.Changeset(), s3)
				if x != y && !comesAndGoes || changed(t, rest.Then(nil), changed(t, c, s0)) != x {
					t.Errorf("%q: %v over %v, %v, %v is %v, over all of it, %v, %v", s0, c, a, b, d, each, apart, once)
				}
			case meet == nil:
				cancelled++
			case !met:
				kept++
			}
		}
	})
	if both+cancelled+kept > 2 && min(both, cancelled) < 100 {
		t.Errorf("%d passed, %d only together, %d only apart: the cases are too few", both, cancelled, kept)
	}
}

func TestThenApartKeepsInsertions(t *testing.T) {
	const doc = "abcdef"
	for name, test := range map[string]struct {
		steps  []changeset.Changeset
		passes map[int]bool // whether an insertion at these points passes
	}{
		"beside what goes later": {
			[]changeset.Changeset{{{At: 2, New: "x"}}, {{At: 3, Old: "cd"}}},
			map[int]bool{1: true, 2: false, 3: false, 4: true, 5: true},
		},
		"behind what goes later": {
			[]changeset.Changeset{{{At: 4, New: "x"}}, {{At: 2, Old: "cd"}}},
			map[int]bool{1: true, 2: true, 3: false, 4: false, 5: true},
		},
		"where something went": {
			[]changeset.Changeset{{{At: 2, Old: "cd"}}, {{At: 2, New: "x"}}},
			map[int]bool{1: true, 2: false, 3: false, 4: false, 5: true},
		},
		"over it, and on": {
			[]changeset.Changeset{{{At: 2, Old: "cd", New: "x"}}, {{At: 3, New: "y"}}},
			map[int]bool{1: true, 2: true, 3: false, 4: false, 5: true},
		},
		"over it, and before": {
			[]changeset.Changeset{{{At: 2, Old: "cd", New: "x"}}, {{At: 2, New: "y"}}},
			map[int]bool{1: true, 2: false, 3: false, 4: true, 5: true},
		},
		"over both": {
			[]changeset.Changeset{{{At: 2, New: "x"}}, {{At: 2, Old: "xc", New: "y"}}},
			map[int]bool{1: true, 2: false, 3: false, 4: true, 5: true},
		},
		"half of it and what follows go": {
			[]changeset.Changeset{{{At: 2, New: "xy"}}, {{At: 3, Old: "yc"}}},
			map[int]bool{1: true, 2: false, 3: false, 4: true, 5: true},
		},
		"gone again": {
			[]changeset.Changeset{{{At: 2, New: "x"}}, {{At: 3, Old: "cd"}}, {{At: 2, Old: "x"}}},
			map[int]bool{1: true, 2: true, 3: false, 4: true, 5: true},
		},
		"put back": {
			[]changeset.Changeset{{{At: 2, Old: "cd"}}, {{At: 2, New: "cd"}}},
			map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true},
		},
		"put back in two": {
			[]changeset.Changeset{{{At: 2, Old: "cd"}}, {{At: 2, New: "d"}}, {{At: 2, New: "c"}}},
			map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true},
		},
		"typed over, and put back": {
			[]changeset.Changeset{{{At: 2, Old: "cd", New: "x"}}, {{At: 3, New: "y"}}, {{At: 2, Old: "xy", New: "cd"}}},
			map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true},
		},
		"other characters than went": {
			[]changeset.Changeset{{{At: 2, Old: "cd"}}, {{At: 2, New: "c"}}},
			map[int]bool{1: true, 2: false, 3: false, 4: false, 5: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all changeset.Changeset
			now := doc
			for _, c := range test.steps {
				now = changed(t, c, now)
				all = all.ThenApart(c)
			}
			for at, passes := range test.passes {
				over := changeset.Carry(changeset.Changeset{{At: at, New: "g"}})
				_, meet := over.Over(all)
				if (meet == nil) != passes {
					t.Errorf("an insertion at %d passes %v: %v", at, all, meet == nil)
				}
				if meet == nil && !over.Changeset().Fits(text.New(now)) {
					t.Errorf("the insertion at %d ends as %v of %q", at, over.Changeset(), now)
				}
			}
		})
	}
}

// TestWidened: a change that has the same effect elsewhere is widened to all of those places that are near.
func TestWidened(t *testing.T) {
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s := make([]byte, 2+size)
		for i := range s {
			s[i] = "ab\n"[rng.IntN(3)]
		}
		was := text.New(string(s))
		c := changeset.Change{At: rng.IntN(len(s)), New: string(s[:rng.IntN(3)])}
		if c.New == "" {
			c.Old = was.Slice(c.At, c.At+1+rng.IntN(len(s)-c.At))
		}
		now := changed(t, changeset.Changeset{c}, string(s))
		from, to := c.At, c.End()
		for at := max(0, c.At-c.Size()); at <= min(len(s)-len(c.Old), c.At+c.Size()); at++ {
			put := ""
			if c.Old == "" {
				put = now[at : at+len(c.New)]
			}
			if now == string(s[:at])+put+string(s[at+len(c.Old):]) {
				from, to = min(from, at), max(to, at+len(c.Old))
			}
		}
		if w := c.Widened(was); w.At != from || w.End() != to || w.Old != was.Slice(from, to) {
			t.Errorf("%q: %v is widened to %v, want bytes %d to %d", s, c, w, from, to)
		}
	})
}
