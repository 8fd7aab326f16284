package patch_test

import (
	"testing"

	"github.com/patchls/patchls/edits/patch"
)

// TestInvocation lists commands of a shell that apply a patch and do nothing else, and some that do not.
func TestInvocation(t *testing.T) {
	const p = "*** Begin Patch\n*** Delete File: a\n*** End Patch"
	for name, tt := range map[string]struct {
		command, folder string
		ok              bool
	}{
		"a patch":                       {"apply_patch <<'EOF'\n" + p + "\nEOF\n", "", true},
		"a word without quotes":         {"apply_patch <<E\n" + p + "\nE", "", true},
		"a folder":                      {"cd web && apply_patch <<'EOF'\n" + p + "\nEOF", "web", true},
		"a folder in quotes":            {"  cd 'my web' && apply_patch <<'EOF'\n" + p + "\nEOF", "my web", true},
		"a folder that the shell finds": {"cd $HOME && apply_patch <<'EOF'\n" + p + "\nEOF", "", false},
		"the folder before":             {"cd - && apply_patch <<'EOF'\n" + p + "\nEOF", "", false},
		"two folders":                   {"cd a && cd b && apply_patch <<'EOF'\n" + p + "\nEOF", "", false},
		"another word at the end":       {"apply_patch <<'EOF'\n" + p + "\nEND", "", false},
		"more after it":                 {"apply_patch <<'EOF'\n" + p + "\nEOF\nmake", "", false},
		"another command":               {"cat <<'EOF'\n" + p + "\nEOF", "", false},
		"two patches":                   {"apply_patch <<'EOF'\n" + p + "\n" + p + "\nEOF", "", false},
		"a unified diff":                {"apply_patch <<'EOF'\n--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\nEOF", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, folder, ok := patch.Invocation(tt.command)
			if ok != tt.ok || folder != tt.folder || ok && got != p {
				t.Errorf("%q, in %q, %t; want the folder %q, %t", got, folder, ok, tt.folder, tt.ok)
			}
		})
	}
}
