package edits_test

import (
	"slices"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

func TestWholeLineEnds(t *testing.T) {
	src := text.New("a\r\nb\r\nc\n") // line ends at 1 and 4
	for _, tt := range []struct{ es, want edits.Edits }{
		{nil, nil},
		{edits.Edits{{Start: 1, End: 3, New: "\n"}}, edits.Edits{{Start: 1, End: 3, New: "\n"}}},
		{edits.Edits{{Start: 2, End: 2, New: "x"}}, edits.Edits{{Start: 1, End: 3, New: "\rx\n"}}},
		{edits.Edits{{Start: 0, End: 2}}, edits.Edits{{Start: 0, End: 3, New: "\n"}}},
		{edits.Edits{{Start: 2, End: 5}}, edits.Edits{{Start: 1, End: 6, New: "\r\n"}}},
		{edits.Edits{{Start: 0, End: 2}, {Start: 3, End: 4}}, edits.Edits{{Start: 0, End: 4, New: "\n"}}},
	} {
		before := slices.Clone(tt.es)
		got := tt.es.WholeLineEnds(src)
		if !slices.Equal(got, tt.want) || !slices.Equal(tt.es, before) {
			t.Errorf("%v became %v, want %v", before, got, tt.want)
		}
		if a, b := tt.es.Apply(src).String(), got.Apply(src).String(); a != b {
			t.Errorf("%v makes %q, and what is sent %q", tt.es, a, b)
		}
	}
}
