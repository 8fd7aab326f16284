package changeset_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

func TestTakeBack(t *testing.T) {
	for name, test := range map[string]struct {
		made, since changeset.Changeset
		from, want  string
	}{
		"beside it": {
			from: "ab", made: changeset.Changeset{{At: 1, New: "made"}}, since: changeset.Changeset{{At: 0, New: "x"}}, want: "xab",
		},
		"typed inside": {
			from: "ab", made: changeset.Changeset{{At: 1, New: "made"}}, since: changeset.Changeset{{At: 3, New: "x"}}, want: "axb",
		},
		"typed over a part": {
			from: "ab", made: changeset.Changeset{{At: 1, New: "made"}}, since: changeset.Changeset{{At: 4, Old: "eb", New: "x"}}, want: "ax",
		},
		"typed over all": {
			from: "ab", made: changeset.Changeset{{At: 1, New: "made"}}, since: changeset.Changeset{{At: 1, Old: "made", New: "x"}}, want: "axb",
		},
		"typed into a replacement": {
			from: "abc", made: changeset.Changeset{{At: 1, Old: "b", New: "made"}}, since: changeset.Changeset{{At: 3, New: "x"}}, want: "abxc",
		},
		"a replacement put back": {
			from: "abc", made: changeset.Changeset{{At: 1, Old: "b", New: "made"}}, since: changeset.Changeset{{At: 1, Old: "made", New: "b"}}, want: "abc",
		},
		"typed where it deleted": {
			from: "abc", made: changeset.Changeset{{At: 1, Old: "b"}}, since: changeset.Changeset{{At: 1, New: "x"}}, want: "abxc",
		},
		"a deletion put back": {
			from: "abc", made: changeset.Changeset{{At: 1, Old: "b"}}, since: changeset.Changeset{{At: 1, New: "b"}}, want: "abc",
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := changed(t, test.since, changed(t, test.made, test.from))
			if got := changed(t, changeset.TakeBack(test.made, test.since), now); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestTakeBackKeepsWhatOthersTyped: everything that the change inserted is removed, and no character of others.
func TestTakeBackKeepsWhatOthersTyped(t *testing.T) {
	changesetCases(t, func(t *testing.T, rng *rand.Rand, size int) {
		from := strings.Repeat("old", rng.IntN(size+1))
		made := marked(randomChanges(rng, from), "M")
		mid := changed(t, made, from)
		since := marked(randomChanges(rng, mid), "x")
		now := changed(t, since, mid)
		got, ok := changeset.TakeBack(made, since).Apply(text.New(now))
		if !ok {
			t.Errorf("%v over %v gives %v, which does not fit %q", made, since, changeset.TakeBack(made, since), now)
		} else if s := got.String(); strings.Contains(s, "M") || strings.Count(s, "x") != strings.Count(now, "x") {
			t.Errorf("%q: %v, then %v: %q came to %q", from, made, since, now, s)
		}
	})
}

// marked returns the changes with what they write made of one letter.
func marked(c changeset.Changeset, letter string) changeset.Changeset {
	out := make(changeset.Changeset, len(c))
	for i, ch := range c {
		ch.New = strings.Repeat(letter, len(ch.New))
		out[i] = ch
	}
	return out
}
