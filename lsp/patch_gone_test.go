package lsp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// A patch that was applied and saved counts as in place as a whole, including its
// deletions and moves; one that only deletes a file that does not exist has a wrong name.
func TestAPatchTwice(t *testing.T) {
	s := start(t, map[string]string{"new.txt": "x\n", "to.txt": "one\n2\n", "a.txt": "A line\n"}, headless.Options{Habits: personas.Decides(noEdit(t))})
	patch := []string{
		"*** Delete File: old.txt", "*** Add File: new.txt", "+x", "*** Update File: from.txt", "*** Move to: to.txt", "@@", " one", "-two", "+2",
		"*** Update File: a.txt", "@@", "-a line", "+A line",
	}
	f := s.fail("apply_patch", beginPatch(patch...))
	if f.Kind != edits.AlreadyApplied || !strings.Contains(f.Message, "old.txt is gone already.") || !strings.Contains(f.Message, "from.txt is at to.txt already.") {
		t.Errorf("%s: %s", f.Kind, f.Message)
	}
	if f := s.fail("apply_patch", beginPatch("*** Delete File: old.txt")); f.Kind != "file_not_found" {
		t.Errorf("%s: %s", f.Kind, f.Message)
	}
	if err := os.WriteFile(s.path("to.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := s.fail("apply_patch", beginPatch(patch...)); f.Kind != "file_not_found" {
		t.Errorf("%s: %s", f.Kind, f.Message)
	}
}
