package lsp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits/gittest"
	"github.com/patchls/patchls/lsp"
)

// TestPatchCases runs testdata/patches/*.txtar: files ("before/NAME"), a "patch",
// and what follows: the files when all is saved ("after/NAME") and the "message"
// with its notes, or an "error", after which all is as it was. -update rewrites
// what follows. ␃ and the others are as in TestCases.
func TestPatchCases(t *testing.T) {
	names, err := filepath.Glob("../testdata/patches/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := runPatchCase(t, archive)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if g, w := string(txtar.Format(got)), string(txtar.Format(archive)); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

// runPatchCase returns the case with what follows.
func runPatchCase(t *testing.T, archive *txtar.Archive) *txtar.Archive {
	t.Helper()
	before := gittest.Tree{}
	out := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		name, is := strings.CutPrefix(f.Name, "before/")
		if is {
			before[name] = fromVisible(string(f.Data))
		}
		if is || f.Name == "patch" {
			out.Files = append(out.Files, f)
		}
	}
	s := start(t, before, headless.Options{})
	raw, err := s.Execute(t.Context(), "patchls.apply_patch", args{"patch": fromVisible(section(archive, "patch"))})
	if err != nil {
		f := failureOf(t, raw, err)
		for _, b := range s.Buffers() {
			if err := b.Save(); err != nil {
				t.Error(err)
			}
		}
		if got := gittest.Read(t, s.root); !maps.Equal(got, before) {
			t.Errorf("after an error: %s", before.Differing(got, before))
		}
		out.Files = append(out.Files, txtar.File{Name: "error", Data: fmt.Appendf(nil, "%s\n%s\n", f.Kind, f.Message)})
		return out
	}
	var r lsp.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if !r.Applied || !r.Verified {
		t.Errorf("not verified: %+v", r)
	}
	for _, f := range r.Files {
		if err := s.SaveURI(f.URI); err != nil {
			t.Fatal(err)
		}
	}
	after := gittest.Read(t, s.root)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		out.Files = append(out.Files, txtar.File{Name: "after/" + name, Data: []byte(toVisible(after[name]))})
	}
	message := r.Message + "\n"
	for _, n := range r.Notes {
		message += "note: " + n + "\n"
	}
	out.Files = append(out.Files, txtar.File{Name: "message", Data: []byte(message)})
	return out
}
