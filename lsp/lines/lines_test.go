package lines

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/workspace/paths"
)

// Whatever became of a text, the lines that are said to have stayed are there,
// in order, each once; and if whole lines came or went, no other is missing.
func TestKeptLines(t *testing.T) {
	seed := chance.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		words := []string{"a", "b", "", "}", "\t}", "long line"}
		before := make([]string, 1+random.IntN(12))
		for i := range before {
			before[i] = words[random.IntN(len(words))]
		}
		after := slices.Clone(before)
		at := random.IntN(len(after) + 1)
		whole := random.IntN(2) == 0
		switch {
		case whole && len(after) > 1 && at < len(after) && random.IntN(2) == 0:
			after = slices.Delete(after, at, at+1)
		case whole:
			after = slices.Insert(after, at, "new "+words[random.IntN(len(words))])
		case at < len(after):
			after[at] += words[random.IntN(len(words))] + "\n" + words[random.IntN(len(words))]
		}
		ending := []string{"", "\n"}[random.IntN(2)]
		a, b := text.New(strings.Join(before, "\n")+ending), text.New(strings.Join(after, "\r\n")+ending)
		kept, last := 0, run{old: 1, new: 1}
		for _, r := range Since(a, b).runs {
			if r.n < 1 || r.old < last.old+last.n || r.new < last.new+last.n {
				t.Fatalf("%q to %q: %+v follows %+v", a, b, r, last)
			}
			for i := range r.n {
				if x, y := lineOf(a, r.old+i), lineOf(b, r.new+i); x != y {
					t.Fatalf("%q to %q: line %d is %q, not %q, in %+v", a, b, r.new+i, y, x, r)
				}
			}
			kept, last = kept+r.n, r
		}
		if whole && ending != "" && kept != min(a.Lines(), b.Lines()) {
			t.Fatalf("%q to %q: %d lines of %d stayed", a, b, kept, a.Lines())
		}
	}
}

func lineOf(t text.Text, number int) string {
	l := t.Line(number - 1)
	return t.Slice(l.Start, l.End)
}

// The texts that a ledger keeps have a bound in bytes too; the newest stays.
func TestLedgerIsBoundedInBytes(t *testing.T) {
	half := text.New(strings.Repeat("x", maxBytes/2+1))
	var l Ledger
	for _, key := range []paths.Key{"/a", "/b", "/c"} {
		l.put(key, Page{At: half})
	}
	if _, ok := l.Page("/b"); ok || len(l.pages) != 1 {
		t.Errorf("%d texts are kept", len(l.pages))
	}
}

func TestSpans(t *testing.T) {
	s := Spans{{5, 7}, {1, 2}, {9, 8}, {3, 3}, {6, 10}}.Joined()
	if want := (Spans{{1, 3}, {5, 10}}); !slices.Equal(s, want) {
		t.Fatalf("joined %v, want %v", s, want)
	}
	if !s.Holds(5, 10) || s.Holds(3, 5) || s.Holds(4, 4) {
		t.Errorf("%v", s)
	}
	runs := []run{{1, 1, 2}, {3, 5, 4}, {9, 9, 9}}
	if got, want := s.carried(runs), (Spans{{1, 2}, {5, 5}, {7, 10}}); !slices.Equal(got, want) {
		t.Errorf("carried %v, want %v", got, want)
	}
}

// Of lines that keep their numbers, those beside a change may be others that read the same.
func TestNumbersBesideAChangeAreNotKnown(t *testing.T) {
	was := All(text.New("1\n2\n}\n4\n}\n6\n7\n8\n9\n"))
	p := Page{At: was.Text, Numbers: was.Seen}.numbered(text.New("1\n2\n}\nfour\n6\n7\nseven\n8\n9\n")) // the user has deleted line 3 or 5
	if want := (Spans{{1, 2}, {9, 9}}); !slices.Equal(p.Numbers, want) || !p.Moved {
		t.Errorf("known %v, want %v", p.Numbers, want)
	}
}

// Equal lines stay where others are alike.
func TestSinceKeepsEqualLines(t *testing.T) {
	const as = ", as most lines are\n"
	was := text.New("one" + as + "two" + as + "}\n}\nthree" + as + "}\n")
	now := text.New("four" + as + "}\n}\nfive" + as + "three" + as + "}\nsix" + as)
	for line, want := range []int{0, 0, 0, 2, 3, 5, 6} {
		if got, _ := Since(was, now).Lines(line, line); line > 0 && got != want {
			t.Errorf("line %d is line %d now, want %d", line, got, want)
		}
	}
}
