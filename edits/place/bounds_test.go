package place

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/hunktext"
)

// kindOfPlan plans hunks as [hunktext.Read] reads them, and returns the error.
func kindOfPlan(t *testing.T, doc, hunks string, how Options) *edits.Error {
	t.Helper()
	src := edits.Source{Path: "a", Text: text.New(doc)}
	plan, err := Plan(patch.File{Path: "a", Hunks: hunktext.Read(hunks)}, src, how)
	var e *edits.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error, but the edits %.200v", plan.Edits)
	}
	return e
}

// TestPlacingManyAnchors has an anchor at more lines than are looked at one by one, and
// a second place of the hunk below those.
func TestPlacingManyAnchors(t *testing.T) {
	var doc strings.Builder
	for i := range 200 {
		value := fmt.Sprint(1000 + i)
		if i == 50 || i == 150 {
			value = "7"
		}
		fmt.Fprintf(&doc, "class C%d:\n    def m(self):\n        return %s\n", i, value)
	}
	e := kindOfPlan(t, doc.String(), "@@ def m(self):\n-        return 7\n+        return 8\n", Options{})
	if e.Kind != edits.ContextAmbiguous || len(e.Matches) != 2 {
		t.Errorf("%s: %s", e.Kind, e.Message)
	}
}

// TestPlacingTooDeep holds that the error of too many hunks that stand on each other
// says so.
func TestPlacingTooDeep(t *testing.T) {
	var hunks strings.Builder
	for i := range maxAlone + 10 {
		fmt.Fprintf(&hunks, "@@\n-a = %d\n+a = %d\n", i, i+1)
	}
	e := kindOfPlan(t, "a = 0\n", hunks.String(), Options{})
	if e.Kind != edits.ContextNotFound || e.Hunk != maxAlone+1 || !strings.Contains(e.Message, fmt.Sprint(maxAlone)) {
		t.Errorf("%s: %s", e.Kind, e.Message)
	}
}

// TestPlacingManyPlaces has more places than are kept. The place that is nearest to a
// number, between other hunks, or below the hunk before, may be one of those not kept.
func TestPlacingManyPlaces(t *testing.T) {
	n := match.MaxPlaces + 1000
	for name, c := range map[string]struct {
		doc, hunks string
		how        Options
	}{
		"nearest to a number": {doc: strings.Repeat("k\nv\n", n), hunks: fmt.Sprintf("@%d\n k\n-v\n+V\n k\n", 2*n-100)},
		"in order":            {doc: strings.Repeat("x\n", match.MaxPlaces-1) + "a\nx\nx\nx\n", hunks: "-a\n+A\n@@\n-x\n+X\n"},
		"the first below":     {doc: strings.Repeat("x\n", match.MaxPlaces) + "a\nx\n", hunks: "-a\n+A\n@@\n-x\n+X\n", how: Options{First: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if e := kindOfPlan(t, c.doc, c.hunks, c.how); e.Kind != edits.ContextAmbiguous || !strings.Contains(e.Message, "at least") {
				t.Errorf("%s: %.200s", e.Kind, e.Message)
			}
		})
	}
}

// TestPlacingManyPlacesOfAll has hunks that together have more places than are kept, so
// that a hunk with two places could be taken to have one.
func TestPlacingManyPlacesOfAll(t *testing.T) {
	chance.Long(t)
	doc := "only\n" + strings.Repeat("x\n", match.MaxPlaces) + "only\n"
	hunks := "-only\n+ONLY\n"
	for k := 1; k <= match.MaxAllPlaces/match.MaxPlaces+2; k++ {
		hunks += fmt.Sprintf("@@\n@1\n%s-x\n", strings.Repeat(" x\n", k))
	}
	if e := kindOfPlan(t, doc, hunks, Options{}); e.Kind != edits.ContextAmbiguous || !strings.Contains(e.Message, "all in all") {
		t.Errorf("%s: %.200s", e.Kind, e.Message)
	}
}
