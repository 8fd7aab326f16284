package paths

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestReadInARootOfOtherCase: a file that is not open is read, however the agent and the editor spell its folders.
func TestReadInARootOfOtherCase(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "sub/a.txt", "soup\n")
	root := strings.ToUpper(dir.path("."))
	for name, c := range map[string]struct{ root, base, path string }{
		"the agent's folder":     {strings.ToLower(root[:1]) + root[1:], root + `\sub`, "a.txt"},
		"the agent's folder, up": {strings.ToLower(root), root + `\sub`, "a.txt"},
		"a whole path":           {strings.ToLower(root), "", filepath.Join(root, "sub", "a.txt")},
	} {
		p := Policy{Roots: Pin(c.root), Base: c.base}
		target, err := p.Resolve(c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.ReadClosed(target); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
