package changeset_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
)

// merged is what s becomes by both a and b, computed gap by gap: first insertions, then
// replacements that begin there, then the byte itself unless it was replaced.
func merged(s string, a, b changeset.Changeset) string {
	var out strings.Builder
	for i := range len(s) + 1 {
		kept := true
		for _, c := range []changeset.Changeset{a, b} {
			for _, ch := range c {
				if ch.At == i && ch.Old == "" {
					out.WriteString(ch.New)
				}
			}
		}
		for _, c := range []changeset.Changeset{a, b} {
			for _, ch := range c {
				if ch.At == i && ch.Old != "" {
					out.WriteString(ch.New)
				}
				kept = kept && (i < ch.At || i >= ch.End())
			}
		}
		if kept && i < len(s) {
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// meets says by counting bytes whether two changes meet.
func meets(x, y changeset.Change) bool {
	if x.Old == "" && y.Old == "" {
		return x.At == y.At
	}
	for i := x.At; i < x.End(); i++ {
		if i >= y.At && i < y.End() || y.Old == "" && i == y.At && i > x.At {
			return true
		}
	}
	return x.Old == "" && y.At < x.At && x.At < y.End()
}

func checkTransform(t *testing.T, s string, a, b changeset.Changeset) {
	t.Helper()
	want := 0
	for _, x := range a {
		for _, y := range b {
			if meets(x, y) {
				want++
			}
		}
	}
	a2, b2, meet := changeset.Transform(a, b)
	if meet != nil {
		if !meets(meet.A, meet.B) || a2 != nil || b2 != nil {
			t.Errorf("%q: %v and %v do not meet in %v (%v, %v)", s, a, b, *meet, a2, b2)
		}
		if !slices.Contains(a, meet.A) || !slices.Contains(b, meet.B) {
			t.Errorf("%q: %v is not of %v and %v", s, *meet, a, b)
		}
		return
	}
	if want > 0 {
		t.Errorf("%q: %v and %v meet, but give %v and %v", s, a, b, a2, b2)
		return
	}
	x := changed(t, b2, changed(t, a, s))
	y := changed(t, a2, changed(t, b, s))
	if z := merged(s, a, b); x != y || x != z {
		t.Errorf("%q: %v and %v give %v and %v: texts %q and %q, want %q", s, a, b, a2, b2, x, y, z)
	}
	if p, q := changed(t, a.Then(b2), s), changed(t, b.Then(a2), s); p != x || q != x {
		t.Errorf("%q: composed they give %q and %q, want %q", s, p, q, x)
	}
}

func TestTransform(t *testing.T) {
	met, passed := 0, 0
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s := randomCells(rng, 2*size)
		a, b := randomChanges(rng, s), randomChanges(rng, s)
		if _, _, meet := changeset.Transform(a, b); meet != nil {
			met++
		} else if len(a) > 0 && len(b) > 0 {
			passed++
		}
		checkTransform(t, s, a, b)
	})
	if min(met, passed) < 1000 && met+passed > 1 {
		t.Errorf("%d met, %d did not: the cases are too few", met, passed)
	}
}

func TestTransformAtTheEdges(t *testing.T) {
	ins, del, rep := changeset.Change{At: 5, Old: "", New: "x"}, changeset.Change{At: 5, Old: "ab", New: ""}, changeset.Change{At: 5, Old: "ab", New: "N"}
	at := func(ch changeset.Change, at int) changeset.Change { ch.At = at; return ch }
	for name, test := range map[string]struct {
		a, b   changeset.Changeset
		a2, b2 changeset.Changeset
		meets  bool
	}{
		"insertion before a deletion":    {changeset.Changeset{ins}, changeset.Changeset{del}, changeset.Changeset{ins}, changeset.Changeset{at(del, 6)}, false},
		"insertion behind a deletion":    {changeset.Changeset{at(ins, 7)}, changeset.Changeset{del}, changeset.Changeset{ins}, changeset.Changeset{del}, false},
		"insertion before a replacement": {changeset.Changeset{ins}, changeset.Changeset{rep}, changeset.Changeset{ins}, changeset.Changeset{at(rep, 6)}, false},
		"insertion behind a replacement": {changeset.Changeset{at(ins, 7)}, changeset.Changeset{rep}, changeset.Changeset{at(ins, 6)}, changeset.Changeset{rep}, false},
		"insertion inside":               {changeset.Changeset{at(ins, 6)}, changeset.Changeset{del}, nil, nil, true},
		"insertions at one point":        {changeset.Changeset{ins}, changeset.Changeset{{At: 5, Old: "", New: "y"}}, nil, nil, true},
		"one byte in common":             {changeset.Changeset{rep}, changeset.Changeset{{At: 6, Old: "bc", New: ""}}, nil, nil, true},
		"side by side":                   {changeset.Changeset{rep}, changeset.Changeset{{At: 7, Old: "c", New: ""}}, changeset.Changeset{rep}, changeset.Changeset{{At: 6, Old: "c", New: ""}}, false},
		"what comes to touch is one": {
			changeset.Changeset{ins, {At: 7, Old: "c", New: ""}}, changeset.Changeset{del},
			changeset.Changeset{{At: 5, Old: "c", New: "x"}}, changeset.Changeset{at(del, 6)}, false,
		},
		"what comes to one point is one": {
			changeset.Changeset{ins, {At: 7, Old: "", New: "y"}}, changeset.Changeset{del},
			changeset.Changeset{{At: 5, Old: "", New: "xy"}}, changeset.Changeset{at(del, 6)}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swap := range []bool{false, true} {
				a, b, a2, b2 := test.a, test.b, test.a2, test.b2
				if swap {
					a, b, a2, b2 = b, a, b2, a2
				}
				x, y, meet := changeset.Transform(a, b)
				if (meet != nil) != test.meets || !equal(x, a2) || !equal(y, b2) {
					t.Errorf("swapped %v: %v and %v give %v and %v (%v)", swap, a, b, x, y, meet)
				}
			}
		})
	}
}

// An insertion keeps its order relative to a deletion that it comes to touch: here "2"
// stays behind the deletion of "L", so that its order relative to "q" is unknown.
func TestCarriedKeepsWhatTouchesApart(t *testing.T) {
	c := changeset.Carry(changeset.Changeset{{At: 0, Old: "L", New: ""}, {At: 2, Old: "", New: "2"}}) // of "Lkr"
	if _, meet := c.Over(changeset.Changeset{{At: 1, Old: "k", New: ""}}); meet != nil {
		t.Fatal(meet)
	}
	if got, want := c.Changeset(), (changeset.Changeset{{At: 0, Old: "L", New: "2"}}); !equal(got, want) {
		t.Errorf("carried to %v, want %v", got, want)
	}
	if _, meet := c.Over(changeset.Changeset{{At: 1, Old: "", New: "q"}}); meet == nil || meet.A != (changeset.Change{At: 1, Old: "", New: "2"}) {
		t.Errorf("met in %v", meet)
	}
	b2, meet := c.Over(changeset.Changeset{{At: 0, Old: "", New: "p"}, {At: 1, Old: "r", New: ""}})
	if got, want := c.Changeset(), (changeset.Changeset{{At: 1, Old: "L", New: "2"}}); meet != nil || !equal(got, want) {
		t.Errorf("carried to %v, want %v (%v)", got, want, meet)
	}
	if want := (changeset.Changeset{{At: 0, Old: "", New: "p"}, {At: 1, Old: "r", New: ""}}); !equal(b2, want) {
		t.Errorf("the other is %v, want %v", b2, want)
	}
}

func FuzzTransform(f *testing.F) {
	f.Add("aab", uint64(1), uint64(2))
	f.Add("é\r\n😀😁", uint64(3), uint64(4))
	f.Fuzz(func(t *testing.T, s string, x, y uint64) {
		if len(s) > 1000 {
			return
		}
		a := randomChanges(rand.New(rand.NewPCG(x, 0)), s)
		b := randomChanges(rand.New(rand.NewPCG(y, 0)), s)
		checkTransform(t, s, a, b)
		if got := a.Then(a.Invert()); len(got) != 0 {
			t.Errorf("%q: %v and its inverse leave %v", s, a, got)
		}
		mid := changed(t, a, s)
		c := randomChanges(rand.New(rand.NewPCG(y, 1)), mid)
		ac := a.Then(c)
		if got, want := changed(t, ac, s), changed(t, c, mid); got != want {
			t.Errorf("%q: %v then %v gives %q, want %q", s, a, c, got, want)
		}
		if x, y := ac.Invert(), c.Invert().Then(a.Invert()); !equal(x, y) {
			t.Errorf("%q: the inverse is %v, that of each %v", s, x, y)
		}
	})
}
