package place

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/hunktext"
)

// TestPlacingNumbers: hunks with correct line numbers are placed at those, in whatever order they
// come, where the lines occur many times and some hunks have another indentation.
func TestPlacingNumbers(t *testing.T) {
	t.Parallel()
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	right := 0
	for range 6000 {
		var lines, want []string
		for range 4 + r.IntN(16) {
			lines = append(lines, []string{"", "\t", "\t\t"}[r.IntN(3)]+[]string{"<", ">", ";"}[r.IntN(3)])
		}
		var hunks []patch.Hunk
		at := 0
		for at < len(lines) {
			skip := min(r.IntN(5), len(lines)-at)
			want, at = append(want, lines[at:at+skip]...), at+skip
			if size := 2 + r.IntN(4); at+size < len(lines) {
				h, made := randomNumbered(r, lines[at:at+size])
				h.Start = at + 1
				hunks, want, at = append(hunks, h), append(want, made...), at+size
			}
		}
		if len(hunks) == 0 {
			continue
		}
		r.Shuffle(len(hunks), func(i, j int) { hunks[i], hunks[j] = hunks[j], hunks[i] })
		src := edits.Source{Path: "a", Text: text.New(strings.Join(lines, "\n") + "\n")}
		plan, err := Plan(patch.File{Path: "a", Hunks: hunks}, src, Options{})
		inPlace := func(n string) bool { return strings.Contains(n, "in place already") }
		if err != nil || slices.ContainsFunc(plan.Notes, inPlace) {
			continue
		}
		if got := plan.Edits.Apply(src.Text).String(); got != strings.Join(want, "\n")+"\n" {
			t.Fatalf("seed %d: %+v in %q gives %q, want %q", seed, hunks, lines, got, want)
		}
		right++
	}
	if right < 3000 {
		t.Errorf("seed %d: only %d were placed", seed, right)
	}
}

// TestPlacingAtNumberAmongMost: a hunk has more places than are kept, and is at its number.
func TestPlacingAtNumberAmongMost(t *testing.T) {
	src := edits.Source{Path: "a", Text: text.New(strings.Repeat("x\n", match.MaxPlaces+100))}
	for _, tt := range []struct {
		start, line int // where it is said to be, and where it is made; 0 if nowhere
	}{{1, 2}, {700, 701}, {match.MaxPlaces + 50, match.MaxPlaces + 51}, {match.MaxPlaces + 98, match.MaxPlaces + 99}, {match.MaxPlaces + 99, 0}} {
		h := hunktext.Read(" x\n-x\n+y\n x\n")[0]
		h.Numbered, h.Start = true, tt.start
		plan, err := Plan(patch.File{Path: "a", Hunks: []patch.Hunk{h}}, src, Options{})
		if tt.line == 0 {
			if err == nil {
				t.Errorf("the hunk at %d is made at %v", tt.start, plan.Hunks)
			}
		} else if err != nil || plan.Hunks[0].StartLine != tt.line {
			t.Errorf("the hunk at %d: %v, %v", tt.start, plan.Hunks, err)
		}
	}
}

// randomNumbered makes a hunk of lines, the last of which is context, and returns also the
// lines that result. The hunk may have four blanks for each tab.
func randomNumbered(r *rand.Rand, lines []string) (h patch.Hunk, made []string) {
	drifts := r.IntN(2) == 0
	add := func(kind patch.LineKind, s string) {
		if kind != patch.DeletedLine {
			made = append(made, s)
		}
		if drifts {
			s = strings.ReplaceAll(s, "\t", "    ")
		}
		h.Lines = append(h.Lines, patch.Line{Kind: kind, Text: s})
	}
	h = patch.Hunk{Line: 1, Numbered: true}
	for i, l := range lines {
		if i == len(lines)-1 || r.IntN(2) == 0 {
			add(patch.KeptLine, l)
		} else {
			add(patch.DeletedLine, l)
		}
		if i == 0 || i < len(lines)-1 && r.IntN(4) == 0 {
			add(patch.AddedLine, l+"+")
		}
	}
	return h, made
}
