package lsp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/view"
)

// TestAClosedNotebookIsJSON: an agent that views or edits a notebook that no editor has open is told what it is.
func TestAClosedNotebookIsJSON(t *testing.T) {
	s := start(t, map[string]string{"n.ipynb": cells, "N.IPYNB": cells, "a.txt": cells, "open.ipynb": cells}, headless.Options{})
	s.open("open.ipynb")
	said := func(notes []string) bool {
		return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "is a notebook: this is its JSON") })
	}
	for name, want := range map[string]bool{"n.ipynb": true, "N.IPYNB": true, "a.txt": false, "open.ipynb": false} {
		if v := run[view.View](s, "view", args{"path": name}); said(v.Notes) != want {
			t.Errorf("view %s: notes %q", name, v.Notes)
		}
		if r := s.edit("str_replace", args{"path": name, "old_str": "[]", "new_str": "[1]"}); said(r.Notes) != want {
			t.Errorf("edit %s: notes %q", name, r.Notes)
		}
	}
	if r := s.edit("create", args{"path": "new.ipynb", "content": cells}); !said(r.Notes) {
		t.Errorf("create: notes %q", r.Notes)
	}
}
