package lsp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/schema"
)

// TestWhatAnErrorRepeatsIsBounded: whatever an argument holds, an error repeats little of it.
func TestWhatAnErrorRepeatsIsBounded(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{})
	s.open("a.txt")
	id := s.edit("str_replace", args{"path": "a.txt", "old_str": "line 2", "new_str": "two"}).EditID
	const size, most = 60_000, 4 << 10
	kinds := map[string]string{
		"a word": strings.Repeat("x", size), "wide": strings.Repeat("語\n", size/4),
		"a patch": "*** Begin Patch\n*** Update File: a.txt\n@@ " + strings.Repeat("a", size) + "\n-" + strings.Repeat("o", size) + "\n+new\n*** End Patch\n",
	}
	for _, c := range lsp.Commands {
		declared := c.Arguments()
		all := args{}
		for _, a := range declared {
			all[a.Name] = map[string]any{"path": "a.txt", "edit_id": id, "old_str": "line 3", "new_str": "three", "content": "c"}[a.Name]
			if all[a.Name] == nil {
				delete(all, a.Name)
			}
		}
		for _, a := range append(slices.Clip(declared), schema.Member{Name: "unknown"}) {
			for kind, value := range kinds {
				forms := map[string]any{"text": value}
				if kind == "a word" {
					forms["object"] = args{value: 1}
				}
				for form, value := range forms {
					_, err := s.Execute(t.Context(), "patchls."+c.Name, with(all, a.Name, value))
					if err == nil {
						continue
					}
					f := failureOf(t, nil, err)
					if a.Name == "unknown" && !strings.HasPrefix(f.Message, "Unknown argument") {
						t.Errorf("%s: %.100q", c.Name, f.Message)
					}
					if n := len(f.Message); n > most {
						t.Errorf("%s, %s: %s as %s: %d bytes: %.100q", c.Name, a.Name, kind, form, n, f.Message)
					}
				}
			}
		}
	}
}

// TestAHunkThatAnEditLacks: an error names the file only if the command did.
func TestAHunkThatAnEditLacks(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{})
	id := s.edit("str_replace", args{"path": "a.txt", "old_str": "line 2", "new_str": "two"}).EditID
	for path, want := range map[string]string{"": "has no hunk 2, or", "a.txt": "has no hunk 2 in a.txt, or"} {
		if f := s.fail("revert", args{"edit_id": id, "hunk": 2, "path": path}); !strings.Contains(f.Message, want) {
			t.Errorf("%q: %s", path, f.Message)
		}
	}
}
