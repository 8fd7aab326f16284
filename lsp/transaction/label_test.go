package transaction

import (
	"testing"

	"github.com/patchls/patchls/internal/testkit/oneline"
	"github.com/patchls/patchls/lsp/commands"
)

// FuzzLabel: a label of the editor's undo menu is one line.
func FuzzLabel(f *testing.F) {
	for _, name := range oneline.Deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, words string) {
		said := label("x", commands.EditOptions{Label: words})
		if wrong := oneline.Wrong(said); wrong != "" {
			t.Errorf("the label %q: %s", said, wrong)
		}
	})
}
