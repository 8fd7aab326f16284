package edits

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
)

// kindOfPlan plans hunks as [readHunks] reads them, and returns the error.
func kindOfPlan(t *testing.T, doc, hunks string, how Placing) *Error {
	t.Helper()
	src := Source{Path: "a", Text: text.New(doc)}
	plan, err := FilePatch{Path: "a", Hunks: readHunks(hunks)}.Plan(src, how)
	var e *Error
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
	e := kindOfPlan(t, doc.String(), "@@ def m(self):\n-        return 7\n+        return 8\n", Placing{})
	if e.Kind != ContextAmbiguous || len(e.Matches) != 2 {
		t.Errorf("%s: %s", e.Kind, e.Message)
	}
}

// TestPlacingTooDeep holds that the error of too many hunks that stand on each other
// says so.
func TestPlacingTooDeep(t *testing.T) {
	var hunks strings.Builder
	for i := range maxRounds + 10 {
		fmt.Fprintf(&hunks, "@@\n-a = %d\n+a = %d\n", i, i+1)
	}
	e := kindOfPlan(t, "a = 0\n", hunks.String(), Placing{})
	if e.Kind != ContextNotFound || e.Hunk != maxRounds+1 || !strings.Contains(e.Message, fmt.Sprint(maxRounds)) {
		t.Errorf("%s: %s", e.Kind, e.Message)
	}
}
