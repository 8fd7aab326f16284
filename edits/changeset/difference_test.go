package changeset_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// If an editor reports a paste into a line as a change of whole lines, the text before and
// after the pasted text counts as unchanged.
func TestReplacedIsNoMoreThanWhatWasPasted(t *testing.T) {
	for _, test := range []struct{ was, now string }{
		{"top\n[one]éé[two][three]\nend\n", "top\n[one]é[paste]\nx\n[of lines]\n[two][three]\nend\n"},
		{"[one]\n\n[two][three]\n", "[one]é[paste]\nx\n[of lines]\n[three]\n"},
	} {
		c := changeset.Replaced(text.New(test.was), 0, len(test.was), test.now)
		one := changeset.Changeset{{Old: test.was, New: test.now}}.Then(nil)
		if c.Size() > one.Size() {
			t.Errorf("%q to %q: %+v, and %+v is less", test.was, test.now, c, one)
		}
	}
}

// TestReplacedRandom: the changes produce the text, and are no more than the bytes between
// the common prefix and suffix.
func TestReplacedRandom(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func() string {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = "ab \n"[r.IntN(4)]
		}
		return string(b)
	}
	for range 20_000 {
		was, now := text.New(draw()), draw()
		c := changeset.Replaced(was, 0, was.Len(), now)
		if after, ok := c.Apply(was); !ok || after.String() != now {
			t.Fatalf("seed %d: %q to %q: %+v", seed, was, now, c)
		}
		if one := (changeset.Changeset{{Old: was.String(), New: now}}).Then(nil); c.Size() > one.Size() {
			t.Fatalf("seed %d: %q to %q: %+v, and %+v is less", seed, was, now, c, one)
		}
		if !slices.Equal(c, changeset.Difference(was, text.New(now))) {
			t.Fatalf("seed %d: %q to %q: the difference is another", seed, was, now)
		}
	}
}
