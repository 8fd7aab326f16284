package command

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestPlacesByHash holds the places of lists of lines that are found by hashes to
// those that the automaton finds.
func TestPlacesByHash(t *testing.T) {
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
	byHash := 0
	for range 4000 {
		kinds := 1 + r.IntN(len(pieces))
		lines := append(some(r.IntN(60), kinds), some(r.IntN(200), min(kinds, 7))...)
		if r.IntN(50) == 0 { // two lines after each other in different leaves
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
		doc, seen := text.New(s), seenLines{}
		for range 4 { // what one search has seen serves the next one
			f := tierFolds[r.IntN(len(tierFolds))].fold
			exact := f == match.Fold{} && r.IntN(2) == 0
			if len(lists) > 0 && r.IntN(3) == 0 {
				lists[r.IntN(len(lists))] = some(r.IntN(4), kinds)
			}
			got, ok := seen.findByHash(doc, lists, f, exact)
			if !ok {
				continue
			}
			byHash++
			if want := findByAutomaton(doc, lists, f, exact); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %q under %+v in %q: by hash %v, else %v", seed, lists, f, s, got, want)
			}
		}
	}
	if byHash < 4000 {
		t.Errorf("seed %d: only %d searches were by hash", seed, byHash)
	}
}

// TestPlacesInEqualLines has more to compare than is done by hash.
func TestPlacesInEqualLines(t *testing.T) {
	list := strings.Split(strings.Repeat("x\n", 2000)+"y", "\n")
	doc := text.New(strings.Repeat("x\n", 50_000) + "y\n")
	if _, ok := new(seenLines).findByHash(doc, [][]string{list[:2000]}, match.Fold{}, true); ok {
		t.Error("100 million lines were compared")
	}
	if places := findLines(doc, [][]string{list}, match.Fold{}, true)[0]; len(places) != 1 || places[0] != 48_000 {
		t.Errorf("the places are %v", places)
	}
}
