package edits_test

import (
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// TestThen holds that two lots of edits, one after the other, are the one that
// they are composed to.
func TestThen(t *testing.T) {
	rng := seeded(t)
	random := func(doc text.Text) edits.Edits {
		_, end := randomRange(rng, doc.String())
		return edits.Rewrite(doc, 0, end, randomText(rng, 1+rng.IntN(8))+doc.Slice(end/2, end))
	}
	for range 5000 {
		before := text.New(randomText(rng, 1+rng.IntN(12)))
		first := random(before)
		between := first.Apply(before)
		next := random(between)
		want := next.Apply(between)
		both := first.Then(before, next)
		if err := both.Validate(before.Len()); err != nil {
			t.Fatalf("%q, %+v then %+v: %+v: %v", before, first, next, both, err)
		}
		if got := both.Apply(before); !got.Equal(want) {
			t.Fatalf("%q, %+v then %+v gives %q, want %q", before, first, next, got, want)
		}
		if back := both.Invert(before).Apply(want); !back.Equal(before) {
			t.Fatalf("the inverse gives %q, want %q", back, before)
		}
	}
}
