package patchdoc

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/internal/testkit/oneline"
)

// FuzzHover: the names in a hover are no Markdown.
func FuzzHover(f *testing.F) {
	for _, name := range oneline.Deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found := &hunk{path: name, Place: place.Place{Line: 3}}
		for _, said := range []string{found.goes(), faultHover(&edits.Error{Message: name})} {
			if wrong := oneline.Wrong(said); wrong != "" {
				t.Errorf("%q: %s", said, wrong)
			}
		}
		said := strings.TrimSuffix(strings.TrimPrefix(found.goes(), "Goes to "), ", found by the tier **.")
		fence := said[:len(said)-len(strings.TrimLeft(said, "`"))]
		inner := said[len(fence) : len(said)-len(fence)]
		if !strings.HasSuffix(said, fence) || strings.Contains(inner, fence) {
			t.Errorf("%q breaks out of its code", said)
		}
	})
}
