package command

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestLinesHoldAllFoldedPlaces compares searching only the lines of a text that may
// contain a part of a line with searching the whole text.
func TestLinesHoldAllFoldedPlaces(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{"x = 1", "\ty := f(2)", "    return", " ", "\t", "\n", "\n", "\n", "\r\n", "}", "é", "e\u0301", "“q”", "\"q\"", "\u00a0", "\u200b", "\r"}
	some := func(n, kinds int) string {
		var b strings.Builder
		for range n {
			b.WriteString(pieces[r.IntN(kinds)])
		}
		return b.String()
	}
	found := 0
	for range 4000 {
		kinds := 10 + r.IntN(len(pieces)-9)
		s := some(r.IntN(80), 10) + some(r.IntN(20), kinds) + some(r.IntN(200), 10)
		if r.IntN(10) == 0 {
			s = text.BOM + s
		}
		if s == "" {
			continue
		}
		from := r.IntN(len(s))
		old := strings.ToValidUTF8(s[from:from+r.IntN(min(len(s)-from, 60))+1], "") // of characters cut in two nothing is left
		switch r.IntN(4) {
		case 0:
			old = strings.ReplaceAll(old, "    ", "\t")
		case 1:
			old = strings.ReplaceAll(strings.ReplaceAll(old, "\"", "”"), "\t", "")
		case 2:
			old += " "
		}
		if strings.Contains(old, "\n") {
			old = diff.FirstLine(old)
			old = old[:len(old)-len(text.Terminator(old))]
		}
		if old == "" {
			continue
		}
		put, overlapping := strings.Replace(old, "x", "z", 1), r.IntN(2) == 0
		src := draft.Source{Source: edits.Source{Path: "a", Text: text.New(s)}}
		for _, step := range partTiers {
			got := slices.Collect(searchFolded(src, old, put, step.Tier, step.Fold, overlapping).each)
			all := newFoldedSearch(src, old, put, step.Fold, overlapping)
			want := slices.Collect(places{tier: step.Tier, found: all.in(s, 0)}.each)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %q under %+v in %q: in lines at %+v, in all at %+v", seed, old, step.Fold, s, got, want)
			}
			found += len(want)
		}
	}
	if found < 1000 {
		t.Errorf("seed %d: only %d places found", seed, found)
	}
}
