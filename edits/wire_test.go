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

func TestBeforeEnd(t *testing.T) {
	for _, tt := range []struct {
		src      string
		es, want edits.Edits
	}{
		{"a\nb\n", nil, nil},
		{"a\nb\n", edits.Edits{{Start: 0, End: 1, New: "x"}}, edits.Edits{{Start: 0, End: 1, New: "x"}}},
		{"a\nb\n", edits.Edits{{Start: 4, End: 4, New: "c\n"}}, edits.Edits{{Start: 3, End: 3, New: "\nc"}}},
		{"a\r\nb\r\n", edits.Edits{{Start: 6, End: 6, New: "c\r\n"}}, edits.Edits{{Start: 4, End: 4, New: "\r\nc"}}},
		{"a\nb\n", edits.Edits{{Start: 2, End: 4}}, edits.Edits{{Start: 1, End: 3}}},
		{"a\nb\n", edits.Edits{{Start: 4, End: 4, New: "c"}}, edits.Edits{{Start: 4, End: 4, New: "c"}}},
		{"a\nb", edits.Edits{{Start: 3, End: 3, New: "\nc"}}, edits.Edits{{Start: 3, End: 3, New: "\nc"}}},
	} {
		src := text.New(tt.src)
		got := tt.es.BeforeEnd(src)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v of %q became %v, want %v", tt.es, tt.src, got, tt.want)
		}
		if a, b := tt.es.Apply(src).String(), got.Apply(src).String(); a != b {
			t.Errorf("%v makes %q, and what is sent %q", tt.es, a, b)
		}
	}
}
