package lsp_test

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// An editor that opens a file to edit it may tell of it with the edit made, as
// Neovim does. Disk then has the text from before, and no other program has written it.
func TestNoDiskNoteForAFileThatWasOpenedToBeEdited(t *testing.T) {
	persona, _ := personas.Named("neovim")
	bubble(t, func(t *testing.T) {
		s := startInBubble(t, map[string]string{"a.txt": "one\ntwo\n"}, persona.Options(headless.Options{}))
		for _, name := range []string{"1c", "1b", "1a"} {
			r := s.edit("insert", args{"path": "a.txt", "after_line": 1, "content": name})
			if notes := strings.Join(r.Notes, " "); strings.Contains(notes, "on disk") {
				t.Errorf("note %q", notes)
			}
		}
		writeFile(t, s.path("a.txt"), "formatted\n")
		r := s.edit("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+0\n"})
		if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "on disk") {
			t.Errorf("no note of the disk: %q", notes)
		}
	})
}
