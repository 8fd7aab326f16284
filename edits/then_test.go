package edits_test

import (
	"reflect"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// A plan on a plan is one of the text before both, and each hunk keeps the tier
// of the plan that found its place.
func TestPlanThen(t *testing.T) {
	before := text.New("a\nb\nc\nd\ne\nf\ng\n")
	first := edits.Plan{
		Edits: edits.Edits{{Start: 0, End: 2, New: ""}, {Start: 8, End: 9, New: "E"}},
		Hunks: []edits.Hunk{{StartLine: 1, OldLines: 1, Match: edits.Anchor}, {StartLine: 4, EndLine: 4, OldLines: 1, NewLines: 1, Match: "unicode"}},
		Notes: []string{"first"},
	}
	next := edits.Plan{
		Edits: edits.Edits{{Start: 10, End: 11, New: "G\nH"}},
		Hunks: []edits.Hunk{{StartLine: 6, EndLine: 7, OldLines: 1, NewLines: 2, Match: "line"}},
		Notes: []string{"next"}, Message: "Both.",
	}
	got := first.Then(before, next)
	if s := got.Edits.Apply(before).String(); s != "b\nc\nd\nE\nf\nG\nH\n" {
		t.Errorf("text %q", s)
	}
	want := []edits.Hunk{
		{StartLine: 1, EndLine: 0, OldLines: 1, Match: edits.Anchor},
		{StartLine: 4, EndLine: 4, OldLines: 1, NewLines: 1, Match: "unicode"},
		{StartLine: 6, EndLine: 7, OldLines: 1, NewLines: 2, Match: "line"},
	}
	if !reflect.DeepEqual(got.Hunks, want) {
		t.Errorf("hunks %+v\nwant %+v", got.Hunks, want)
	}
	if !reflect.DeepEqual(got.Notes, []string{"first", "next"}) || got.Message != "Both." {
		t.Errorf("%q %q", got.Notes, got.Message)
	}
	if got := (edits.Plan{}).Then(before, first); !reflect.DeepEqual(got.Hunks, first.Hunks) {
		t.Errorf("after nothing: %+v", got)
	}
}
