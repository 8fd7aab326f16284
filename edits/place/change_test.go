package place

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestAdaptIndented holds the lines of hunks that stand in the text but for their
// indentation to what a transplant makes of them.
func TestAdaptIndented(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	bare, told := 0, 0
	for range 20_000 {
		var lines []string
		f := patch.Hunk{Line: 1}
		add := func(kind patch.LineKind, s string) { f.Lines = append(f.Lines, patch.Line{Kind: kind, Text: s}) }
		unit := pick("    ", "  ", "\t", "")
		for range 1 + r.IntN(5) {
			core, depth := pick("a", "b c", "x = 1", "y\rz", "é", ""), r.IntN(3)
			lines = append(lines, strings.Repeat("\t", depth)+core+pick("", "", "", "", "", " "))
			sent := strings.Repeat(unit, depth) + core + pick("", "", "", "", "", "\t")
			add(patch.LineKind(pick(" ", "-")[0]), sent)
			if r.IntN(2) == 0 {
				add(patch.AddedLine, strings.Repeat(unit, r.IntN(4))+pick("new", "a", "", " ", "z\r")+pick("", "", " "))
			}
		}
		p := target{src: draft.Source{Source: edits.Source{Text: text.New(strings.Join(lines, "\n") + "\n")}}}
		p.before = p.src.Text
		h := hunk{tier: edits.Indentation, fold: match.Fold{Trailing: true, Indent: true}}
		h.begin(f, 1)
		if !p.reads(0, h.old, h.fold) {
			t.Fatalf("seed %d: %q is not in %q", seed, h.old, lines)
		}
		at := 0
		for i := 0; i < len(h.Lines); {
			from := i
			for i < len(h.Lines) && h.Lines[i].Kind != patch.KeptLine {
				i++
			}
			old, put := ofKind(h.Lines[from:i], patch.DeletedLine), ofKind(h.Lines[from:i], patch.AddedLine)
			if a := (&adapter{t: &p, h: &h}); len(old) > 0 && len(put) > 0 && a.isIndented(at, old) {
				bare++
				got, ok := a.adapt(at, old, put)
				want, can := a.transplanted(at, old, put)
				if ok {
					told++
				}
				if ok != can || !slices.Equal(got, want) {
					t.Fatalf("seed %d: %q for %q in %q is %q, %v; transplanted it is %q, %v", seed, put, old, lines, got, ok, want, can)
				}
			}
			at += len(old)
			if i < len(h.Lines) {
				at, i = at+1, i+1
			}
		}
	}
	if bare < 1000 || told < 1000 {
		t.Errorf("seed %d: only %d places differ in indentation alone, and %d are told", seed, bare, told)
	}
}
