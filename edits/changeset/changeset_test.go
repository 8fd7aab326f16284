package changeset_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// changesetCases calls check with random numbers for many cases, small ones
// first, so that the first that fails is near the smallest. PATCHLS_SEED repeats
// the one that failed.
func changesetCases(t *testing.T, check func(t *testing.T, rng *rand.Rand, size int)) {
	t.Helper()
	first, only := chance.First(t)
	if only {
		check(t, rand.New(rand.NewPCG(first, 0)), int(first%8)+1)
		return
	}
	first &^= 7
	for size := range uint64(8) {
		for i := range uint64(2500) {
			seed := first + 8*i + size
			check(t, rand.New(rand.NewPCG(seed, 0)), int(size)+1)
			if t.Failed() {
				t.Fatalf("to run this again: PATCHLS_SEED=%d", seed)
			}
		}
	}
}

var cells = []string{"a", "a", "b", "é", "😀", "😁", "\r\n"}

// randomCells returns up to n characters, many of them equal.
func randomCells(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n + 1) {
		b.WriteString(cells[rng.IntN(len(cells))])
	}
	return b.String()
}

// randomChanges returns a changeset of s: it holds changes that keep a character
// too, and cuts none in two.
func randomChanges(rng *rand.Rand, s string) changeset.Changeset {
	var c changeset.Changeset
	density := 1 + rng.IntN(4)
	for at := 0; at <= len(s); {
		if rng.IntN(density+1) > 0 {
			at += cellLen(s[at:])
			continue
		}
		end := at
		for range rng.IntN(3) {
			if end < len(s) {
				end += cellLen(s[end:])
			}
		}
		ch := changeset.Change{At: at, Old: s[at:end], New: randomCells(rng, 2)}
		at = end + cellLen(s[end:])
		if ch.Old != "" || ch.New != "" {
			c = append(c, ch)
		}
	}
	return c
}

// cellLen returns the length of the first character, 1 at the end.
func cellLen(s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	_, n := utf8.DecodeRuneInString(s)
	return max(n, 1)
}

func changed(t *testing.T, c changeset.Changeset, s string) string {
	t.Helper()
	if !c.Fits(text.New(s)) {
		t.Fatalf("%v does not fit %q", c, s)
	}
	if err := c.Edits().Validate(len(s)); err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return c.Edits().Apply(text.New(s)).String()
}

// trimmed reports whether no change of c keeps a character at either end.
func trimmed(c changeset.Changeset) bool {
	for _, ch := range c {
		if ch.Old == "" || ch.New == "" {
			continue
		}
		head, tail := cellLen(ch.Old), lastCellLen(ch.Old)
		if head == cellLen(ch.New) && ch.Old[:head] == ch.New[:head] ||
			tail == lastCellLen(ch.New) && ch.Old[len(ch.Old)-tail:] == ch.New[len(ch.New)-tail:] {
			return false
		}
	}
	return true
}

func lastCellLen(s string) int {
	if strings.HasSuffix(s, "\r\n") {
		return 2
	}
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}

func TestChangesetThen(t *testing.T) {
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		s0 := randomCells(rng, size)
		a := randomChanges(rng, s0)
		s1 := changed(t, a, s0)
		b := randomChanges(rng, s1)
		s2 := changed(t, b, s1)
		c := randomChanges(rng, s2)
		s3 := changed(t, c, s2)

		ab := a.Then(b)
		if got := changed(t, ab, s0); got != s2 || !trimmed(ab) {
			t.Errorf("%q: %v then %v is %v, which gives %q, want %q", s0, a, b, ab, got, s2)
		}
		if x, y := ab.Then(c), a.Then(b.Then(c)); changed(t, x, s0) != s3 || changed(t, y, s0) != s3 {
			t.Errorf("%q: (%v then %v) then %v is %v, the other way %v", s0, a, b, c, x, y)
		}
		if got := a.Then(a.Invert()); len(got) != 0 {
			t.Errorf("%q: %v and its inverse leave %v", s0, a, got)
		}
		if got := a.Invert().Invert(); !reflect.DeepEqual(got, a) {
			t.Errorf("the inverse of the inverse of %v is %v", a, got)
		}
		if x, y := ab.Invert(), b.Invert().Then(a.Invert()); !equal(x, y) {
			t.Errorf("%q: the inverse of %v then %v is %v, that of each is %v", s0, a, b, x, y)
		}
		if got := changeset.Of(a.Edits(), text.New(s0)); !equal(got, a) {
			t.Errorf("%q: %v as edits is %v", s0, a, got)
		}
		if got := len(s1) - len(s0); got != a.Delta() {
			t.Errorf("%v makes a text longer by %d, and says %d", a, got, a.Delta())
		}
	})
}

func equal(a, b changeset.Changeset) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func TestChangesetThenJoins(t *testing.T) {
	for name, test := range map[string]struct{ a, b, want changeset.Changeset }{
		"what cancels vanishes":         {changeset.Changeset{{At: 0, Old: "", New: "foo"}}, changeset.Changeset{{At: 0, Old: "foo", New: ""}}, nil},
		"taken out and put back":        {changeset.Changeset{{At: 3, Old: "foo", New: ""}}, changeset.Changeset{{At: 3, Old: "", New: "foo"}}, nil},
		"put back with more":            {changeset.Changeset{{At: 3, Old: "foo", New: ""}}, changeset.Changeset{{At: 3, Old: "", New: "fo😀o"}}, changeset.Changeset{{At: 5, Old: "", New: "😀"}}},
		"not within a character":        {changeset.Changeset{{At: 0, Old: "é", New: ""}}, changeset.Changeset{{At: 0, Old: "", New: "ê"}}, changeset.Changeset{{At: 0, Old: "é", New: "ê"}}},
		"typing on":                     {changeset.Changeset{{At: 1, Old: "", New: "a"}}, changeset.Changeset{{At: 2, Old: "", New: "b"}}, changeset.Changeset{{At: 1, Old: "", New: "ab"}}},
		"what touches is one":           {changeset.Changeset{{At: 1, Old: "ab", New: "x"}}, changeset.Changeset{{At: 0, Old: "c", New: ""}, {At: 2, Old: "d", New: "e"}}, changeset.Changeset{{At: 0, Old: "cabd", New: "xe"}}},
		"over two changes":              {changeset.Changeset{{At: 1, Old: "", New: "x"}, {At: 3, Old: "", New: "y"}}, changeset.Changeset{{At: 0, Old: "axbcyd", New: "Z"}}, changeset.Changeset{{At: 0, Old: "abcd", New: "Z"}}},
		"elsewhere":                     {changeset.Changeset{{At: 1, Old: "a", New: "bcd"}}, changeset.Changeset{{At: 9, Old: "x", New: ""}}, changeset.Changeset{{At: 1, Old: "a", New: "bcd"}, {At: 7, Old: "x", New: ""}}},
		"a change that keeps its bytes": {changeset.Changeset{{At: 1, Old: "ab", New: "ab"}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.a.Then(test.b); !equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestChangesetMap(t *testing.T) {
	c := changeset.Changeset{{At: 2, Old: "", New: "xx"}, {At: 4, Old: "ab", New: "Y"}, {At: 8, Old: "cd", New: ""}}
	for _, test := range []struct {
		off           int
		before, after int
	}{
		{0, 0, 0}, {1, 1, 1},
		{2, 2, 4}, // an insertion right there
		{3, 5, 5},
		{4, 6, 6}, // at the start of what is replaced
		{5, 6, 7}, // inside
		{6, 7, 7}, // at its end
		{7, 8, 8},
		{8, 9, 9}, {9, 9, 9}, {10, 9, 9}, // around a deletion
		{11, 10, 10},
	} {
		if before, after := c.Map(test.off, false), c.Map(test.off, true); before != test.before || after != test.after {
			t.Errorf("%d goes to %d or %d, want %d or %d", test.off, before, after, test.before, test.after)
		}
	}
}

func TestChangesetFits(t *testing.T) {
	doc := text.New("abcdef")
	for name, test := range map[string]struct {
		c    changeset.Changeset
		want bool
	}{
		"nothing":     {nil, true},
		"all of it":   {changeset.Changeset{{At: 0, Old: "abcdef", New: ""}}, true},
		"at the end":  {changeset.Changeset{{At: 6, Old: "", New: "x"}}, true},
		"other bytes": {changeset.Changeset{{At: 0, Old: "b", New: ""}}, false},
		"too far":     {changeset.Changeset{{At: 5, Old: "fg", New: ""}}, false},
		"behind":      {changeset.Changeset{{At: 7, Old: "", New: "x"}}, false},
		"negative":    {changeset.Changeset{{At: -1, New: "x"}}, false},
		"empty":       {changeset.Changeset{{At: 1, Old: "", New: ""}}, false},
		"touching":    {changeset.Changeset{{At: 1, Old: "b", New: ""}, {At: 2, Old: "c", New: ""}}, false},
		"not sorted":  {changeset.Changeset{{At: 3, Old: "d", New: ""}, {At: 1, Old: "b", New: ""}}, false},
	} {
		if got := test.c.Fits(doc); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
