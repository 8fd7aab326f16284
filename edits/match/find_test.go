package match_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

var folds = []match.Fold{
	{},
	{Trailing: true},
	{Trailing: true, Indent: true},
	{Trailing: true, Unicode: true},
	{Trailing: true, Indent: true, Unicode: true},
}

// standsAt looks at each line of a text in turn.
func standsAt(t text.Text, list []string, fold match.Fold) (places []int32) {
	for at := 0; len(list) > 0 && at+len(list) <= t.Lines(); at++ {
		equal := true
		for i, want := range list {
			l := t.Line(at + i)
			equal = equal && fold.Line(t.Slice(l.Start, l.End)) == fold.Line(want)
		}
		if equal {
			places = append(places, int32(at))
		}
	}
	return places
}

// TestFind compares the places that are found for lists of lines with those of a linear search.
func TestFind(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{"x", "\tx", "x ", "", "  ", "long line", " long line", "é", "e\u0301", "\u00a0x", "“x”", "\"x\"", "\r"}
	some := func(n, kinds int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = pieces[r.IntN(kinds)]
		}
		return out
	}
	for range 4000 {
		kinds := 1 + r.IntN(len(pieces))
		lines := append(some(r.IntN(60), kinds), some(r.IntN(200), min(kinds, 7))...)
		if r.IntN(200) == 0 { // two lines after each other in different leaves
			lines = append(lines, some(20_000, kinds)...)
		}
		s := strings.Join(lines, []string{"\n", "\r\n"}[r.IntN(2)])
		if r.IntN(10) == 0 {
			s = text.BOM + s
		}
		var lists [][]string
		for range r.IntN(5) {
			if len(lines) > 0 && r.IntN(2) == 0 {
				from := r.IntN(len(lines))
				lists = append(lists, lines[from:from+r.IntN(min(9, len(lines)-from+1))])
			} else {
				lists = append(lists, some(r.IntN(4), kinds))
			}
		}
		var finder match.Finder
		doc := text.New(s)
		for range 4 { // a later search reuses what an earlier one found
			fold := folds[r.IntN(len(folds))]
			if len(lists) > 0 && r.IntN(3) == 0 {
				lists[r.IntN(len(lists))] = some(r.IntN(4), kinds)
			}
			got := finder.Find(doc, lists, fold, nil)
			for i, list := range lists {
				if want := standsAt(doc, list, fold); !reflect.DeepEqual(got[i], want) {
					t.Fatalf("seed %d: %q under %+v in %q: %v, want %v", seed, list, fold, s, got[i], want)
				}
			}
		}
	}
}

// TestFindInEqualLines finds a list that nearly stands at each line, and ends with its
// command where that takes long.
func TestFindInEqualLines(t *testing.T) {
	list := strings.Split(strings.Repeat("x\n", 2000)+"y", "\n")
	doc := text.New(strings.Repeat("x\n", 20_000) + "y\n")
	if places := new(match.Finder).Find(doc, [][]string{list}, match.Fold{}, nil); len(places) != 1 || !reflect.DeepEqual(places[0], []int32{18_000}) {
		t.Errorf("the places are %v", places)
	}
	looks := 0
	work := edits.NewWork(func() error {
		looks++
		return errors.New("ended")
	})
	if places := new(match.Finder).Find(doc, [][]string{list[:2000]}, match.Fold{}, work); len(places[0]) > 1000 || looks != 1 {
		t.Errorf("%d places and %d looks after the command has ended", len(places[0]), looks)
	}
}
