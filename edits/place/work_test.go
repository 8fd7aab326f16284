package place

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/hunktext"
)

// counted is a command that ends after ended was called left times. after counts the later calls.
type counted struct{ left, after int }

var errCounted = errors.New("ended")

func (c *counted) ended() error {
	if c.left--; c.left >= 0 {
		return nil
	}
	c.after++
	return errCounted
}

func goesOn() error { return nil }

// worstPatches are patches of n hunks that take long, with what they are of.
func worstPatches(n int) map[string]struct {
	doc string
	p   patch.File
	how Options
} {
	type worst = struct {
		doc string
		p   patch.File
		how Options
	}
	var lines, anchors, blanks, elided strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, "line %d of a text\n", i)
	}
	for i := range n {
		fmt.Fprintf(&anchors, "@@ class X%d\n-nowhere %d\n+x\n", i, i)
		fmt.Fprintf(&blanks, "@@\n line %d of a text\n \n-line %d of no text\n+x\n", i, i)
		fmt.Fprintf(&elided, "@@\n-line %d of a text\n-...\n-line %d of no text\n+x\n+...\n+y\n", i, i)
	}
	return map[string]worst{
		"absent anchors": {lines.String(), patch.File{Hunks: hunktext.Read(anchors.String())}, Options{}},
		"first":          {lines.String(), patch.File{Hunks: hunktext.Read(anchors.String())}, Options{First: true}},
		"blank lines":    {lines.String(), patch.File{Hunks: hunktext.Read(blanks.String())}, Options{}},
		"elided lines":   {lines.String(), patch.File{Hunks: hunktext.Read(elided.String())}, Options{}},
		"equal hunks":    {strings.Repeat("x\n", 3000), patch.File{Hunks: hunktext.Read(strings.Repeat("@@\n-x\n+y\n", n))}, Options{}},
	}
}

// TestOneHunkIsToldOf: of many hunks without a place, near places are searched only for
// the one that the error reports.
func TestOneHunkIsToldOf(t *testing.T) {
	for name, c := range worstPatches(500) {
		w := edits.NewWork(goesOn)
		_, err := Plan(c.p, edits.Source{Path: "a", Text: text.New(c.doc), Work: w}, c.how)
		if most := len(c.doc) + nearest.MaxWork; err == nil && name != "equal hunks" || !w.Search(edits.MaxNear-most) {
			t.Errorf("%s: more than %d, or error %v", name, most, err)
		}
	}
}

// TestTheFirstOfEqualLines: hunks that fit each of 20,000 equal lines take the first ones below each other. That takes no look
// at each line, but for hunks with an anchor, which may be any of these lines.
func TestTheFirstOfEqualLines(t *testing.T) {
	const n = 20_000
	for _, hunk := range []string{"@@\n-x\n+y\n", "@@\n x\n-x\n+y\n x\n", "@@\n- x\n+ y\n", "@@ x\n-x\n+y\n"} {
		for _, hunks := range []int{1, 50} {
			looks, most := &counted{left: 1 << 30}, 20+12*hunks
			if strings.HasPrefix(hunk, "@@ ") {
				most += hunks * n
			}
			w := edits.NewWork(looks.ended)
			src := edits.Source{Path: "a", Text: text.New(strings.Repeat("x\n", n)), Work: w}
			plan, err := Plan(patch.File{Path: "a", Hunks: hunktext.Read(strings.Repeat(hunk, hunks))}, src, Options{First: true})
			made := plan.Edits.Apply(src.Text).String()
			if err != nil || strings.Count(made, "y") != hunks || strings.LastIndex(made, "y") >= 8*hunks || len(plan.Message) > 100 {
				t.Errorf("%d of %q: %.200q, %.200s, %v", hunks, hunk, made, plan.Message, err)
			}
			if got := 1<<30 - looks.left; got > most || !w.Search(edits.MaxNear) {
				t.Errorf("%d of %q: %d looks, the most is %d, or a search for what comes near", hunks, hunk, got, most)
			}
		}
	}
}

// TestNearWorkIsBounded: all files of a command share one bound on the search for near
// places, and an error says so if nothing was searched.
func TestNearWorkIsBounded(t *testing.T) {
	chance.Long(t)
	c := worstPatches(1)["blank lines"]
	w := edits.NewWork(goesOn)
	var told, silent int
	for range 2 * edits.MaxNear / len(c.doc) {
		_, err := Plan(c.p, edits.Source{Path: "a", Text: text.New(c.doc), Work: w}, c.how)
		switch e := (*edits.Error)(nil); {
		case !errors.As(err, &e):
			t.Fatal(err)
		case strings.Contains(e.Message, "was not sought"):
			silent++
		case silent > 0 || strings.Contains(e.Message, "nothing in it comes near"):
			t.Fatalf("after %d: %s", silent, e.Message)
		default:
			told++
		}
	}
	if told == 0 || silent == 0 || !w.Search(-nearest.MaxWork) {
		t.Errorf("%d are told what comes near, %d are not, or by more than %d", told, silent, edits.MaxNear+nearest.MaxWork)
	}
}

// TestPlanningEnds: planning checks for each hunk whether its command has ended, and then
// returns soon, with the error of the command.
func TestPlanningEnds(t *testing.T) {
	const n = 500
	for name, c := range worstPatches(n) {
		all := &counted{left: 1 << 30}
		src := edits.Source{Path: "a", Text: text.New(c.doc), Work: edits.NewWork(all.ended)}
		_, _ = Plan(c.p, src, c.how)
		looks := 1<<30 - all.left
		if looks < n {
			t.Errorf("%s: %d looks for %d hunks", name, looks, n)
		}
		for _, left := range []int{0, 1, looks / 4, looks / 2, looks * 3 / 4} {
			ends := &counted{left: left}
			src.Work = edits.NewWork(ends.ended)
			if _, err := Plan(c.p, src, c.how); !errors.Is(err, errCounted) && ends.after > 0 {
				t.Errorf("%s: ended after %d of %d looks: %v", name, left, looks, err)
			}
			if ends.after > n/2 {
				t.Errorf("%s: ended after %d of %d looks, and there were %d more", name, left, looks, ends.after)
			}
		}
	}
}

// TestOwnPlacesAreBounded: equal hunks share the memory of their places, except for the
// places that an anchor leaves to each of them.
func TestOwnPlacesAreBounded(t *testing.T) {
	const places = match.MaxPlaces - 1000
	e := kindOfPlan(t, "h\n"+strings.Repeat("\tx\n", places), strings.Repeat("@@ h\n-\tx\n+\ty\n", maxOwnPlaces/places+2), Options{})
	if e.Kind != edits.ContextAmbiguous || !strings.Contains(e.Message, "all in all") {
		t.Errorf("%s: %s", e.Kind, e.Message)
	}
}
