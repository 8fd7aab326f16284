package changeset_test

import (
	"reflect"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestThen: two lists of edits, one after the other, have the effect of their composition.
func TestThen(t *testing.T) {
	rng := chance.Rand(t)
	random := func(doc text.Text) edits.Edits {
		_, end := chance.Range(rng, doc.String())
		return diff.Rewrite(doc, 0, end, chance.Text(rng, 1+rng.IntN(8))+doc.Slice(end/2, end))
	}
	for range 5000 {
		before := text.New(chance.Text(rng, 1+rng.IntN(12)))
		first := random(before)
		between := first.Apply(before)
		next := random(between)
		want := next.Apply(between)
		both := changeset.ComposeEdits(first, before, next)
		if err := both.Validate(before.Len()); err != nil {
			t.Fatalf("%q, %+v then %+v: %+v: %v", before, first, next, both, err)
		}
		if got := both.Apply(before); !got.Equal(want) {
			t.Fatalf("%q, %+v then %+v gives %q, want %q", before, first, next, got, want)
		}
		if back := changeset.Of(both, before).Invert().Edits().Apply(want); !back.Equal(before) {
			t.Fatalf("the inverse gives %q, want %q", back, before)
		}
	}
}

// The composition of two plans refers to the text before both, and each hunk keeps the
// tier of the plan that placed it.
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
	got := changeset.ComposePlans(first, before, next)
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
	if got := changeset.ComposePlans((edits.Plan{}), before, first); !reflect.DeepEqual(got.Hunks, first.Hunks) {
		t.Errorf("after nothing: %+v", got)
	}
}
