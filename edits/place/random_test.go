package place

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// placeCase is a text and hunks for it.
type placeCase struct {
	lines []string
	hunks []patch.Hunk
}

// TestPlacingRandom compares exact placing with [placeOracle]. If the hunks do not touch
// each other, the plan must be the only text that can be meant; if several can, the plan
// must fail, unless the order of the hunks decides. If hunks do touch each other, the
// result must be one that can be meant. PATCHLS_SEED repeats a run, and
// PATCHLS_PLACE_CASES makes it longer.
func TestPlacingRandom(t *testing.T) {
	t.Parallel()
	seed, cases := chance.Seed(t), chance.Cases(t, "PATCHLS_PLACE_CASES", 3_000)
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]int{}
	for range cases {
		c := randomPlaceCase(r)
		why, wrong := c.judge()
		if wrong {
			c = c.shrunk()
			why, _ := c.judge()
			t.Fatalf("PATCHLS_SEED=%d: %s\n%s", seed, why, c)
		}
		seen[why]++
	}
	t.Logf("seed %d: %v", seed, seen)
}

// randomPlaceCase makes a text of few different lines, and hunks for it, some of
// which stand on what others make.
func randomPlaceCase(r *rand.Rand) placeCase {
	alphabet := []string{"(", ")", ";", "=", "{"}[:2+r.IntN(4)]
	pick := func() string { return alphabet[r.IntN(len(alphabet))] }
	var c placeCase
	for range r.IntN(9) {
		c.lines = append(c.lines, pick())
	}
	now := linesOf(c.lines)
	for n := 1 + r.IntN(3); n > 0; n-- {
		h := patch.Hunk{Line: 1}
		if len(c.hunks) > 0 && r.IntN(6) == 0 {
			h.Lines = slices.Clone(c.hunks[r.IntN(len(c.hunks))].Lines)
			c.hunks = append(c.hunks, h)
			continue
		}
		on := linesOf(c.lines)
		if r.IntN(3) == 0 {
			on = now
		}
		at := r.IntN(len(on) + 1)
		size := min(1+r.IntN(4), len(on)-at)
		changed := false
		for i := range size {
			kind := patch.KeptLine
			if r.IntN(3) == 0 {
				kind, changed = patch.DeletedLine, true
			}
			h.Lines = append(h.Lines, patch.Line{Kind: kind, Text: on[at+i].text})
			if r.IntN(4) == 0 {
				h.Lines = append(h.Lines, patch.Line{Kind: patch.AddedLine, Text: pick()})
				changed = true
			}
		}
		if !changed {
			h.Lines = slices.Insert(h.Lines, r.IntN(len(h.Lines)+1), patch.Line{Kind: patch.AddedLine, Text: pick()})
		}
		if len(h.Old()) == 0 {
			h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine, Text: pick()})
		}
		c.hunks = append(c.hunks, h)
		o := placeOracle{c.hunks, linesOf(c.lines)}
		if places := o.placesIn(now, len(c.hunks)-1); len(places) > 0 {
			now = o.apply(now, o.changes(len(c.hunks)-1, places[r.IntN(len(places))]))
		}
	}
	return c
}

// judge plans the hunks, and says what came of it and whether that is wrong.
func (c placeCase) judge() (why string, wrong bool) {
	o := placeOracle{c.hunks, linesOf(c.lines)}
	start := oracleText{o.text, map[int][2]int{}}
	doc := texts([][]oracleLine{start.lines})[0]
	src := edits.Source{Path: "a", Text: text.New(doc)}
	plan, err := Plan(patch.File{Path: "a", Hunks: c.hunks}, src, Options{Exact: true})
	var all oracleStep
	for k := range c.hunks {
		all = append(all, k)
	}
	ways, inOrder := o.results(start, []oracleStep{all}, false), o.results(start, []oracleStep{all}, true)
	apart := o.areApart(start, all, ways)
	if e, refused := errors.AsType[*edits.Error](err); refused {
		switch {
		case apart && len(ways) == 1 && len(inOrder) == 1 && texts(ways)[0] != doc && e.Kind != edits.AlreadyApplied:
			return fmt.Sprintf("the only text that can be meant is %q, but it is an error: %s", texts(ways), e.Message), true
		case apart && len(inOrder) > 1:
			return "refused where several could be meant", false
		}
		return "refused", false
	}
	got := plan.Edits.Apply(src.Text).String()
	has := func(what string) bool {
		return slices.ContainsFunc(plan.Notes, func(n string) bool { return strings.Contains(n, what) })
	}
	switch {
	case has("in place already"):
		return "in place in part", false
	case apart && len(texts(ways)) == 1:
		return "the only text", texts(ways)[0] != got
	case apart && len(texts(inOrder)) == 1:
		return "the only text in order", texts(inOrder)[0] != got
	case apart && o.isTold(start, all, got):
		return "the only text in order, in steps", false
	case apart:
		return fmt.Sprintf("it is %q, but %q could be meant", got, texts(ways)), true
	}
	var can []string
	for _, steps := range o.schemes(all) {
		can = append(can, texts(o.results(start, steps, false))...)
	}
	if !slices.Contains(can, got) {
		return fmt.Sprintf("it is %q, which cannot be; %q could", got, can), true
	}
	return "one stands on what another makes", false
}

// shrunk returns a smaller case that is wrong as well.
func (c placeCase) shrunk() placeCase {
	for {
		smaller, ok := c.smaller()
		if !ok {
			return c
		}
		c = smaller
	}
}

// smaller returns the case without one of its parts, if it is wrong still.
func (c placeCase) smaller() (placeCase, bool) {
	for i := range c.lines {
		s := placeCase{slices.Delete(slices.Clone(c.lines), i, i+1), c.hunks}
		if _, wrong := s.judge(); wrong {
			return s, true
		}
	}
	for k, h := range c.hunks {
		s := placeCase{c.lines, slices.Delete(slices.Clone(c.hunks), k, k+1)}
		if _, wrong := s.judge(); wrong && len(s.hunks) > 0 {
			return s, true
		}
		for i := range h.Lines {
			s := placeCase{c.lines, slices.Clone(c.hunks)}
			less := &s.hunks[k]
			less.Lines = slices.Delete(slices.Clone(h.Lines), i, i+1)
			if len(less.Old()) == 0 || !slices.ContainsFunc(less.Lines, func(l patch.Line) bool { return l.Kind != patch.KeptLine }) {
				continue
			}
			if _, wrong := s.judge(); wrong {
				return s, true
			}
		}
	}
	return c, false
}

func (c placeCase) String() string {
	var b strings.Builder
	b.WriteString("text: " + strings.Join(c.lines, " ") + "\n")
	for _, h := range c.hunks {
		b.WriteString("@@\n")
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c%s\n", l.Kind, l.Text)
		}
	}
	return b.String()
}
