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

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
)

// TestPatchCases runs testdata/patches/*.txtar: files ("before/NAME"), a "patch", and
// the outcome: the files once all is saved ("after/NAME") and the "message" with its
// notes, or an "error", after which nothing has changed. -update rewrites the outcome.
// ␃ and the other signs are as in TestCases.
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
			got := runPatchCase(t, archive, func(files map[string]string) *session { return start(t, files, headless.Options{}) })
			for _, f := range archive.Files {
				if strings.Contains(f.Name, " in ") {
					got.Files = append(got.Files, f)
				}
			}
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

// TestPatchCasesUnderEveryPersona runs the cases in editors as they were measured. An
// outcome that differs there is in sections whose names end with " in NAME", as in
// TestCasesUnderEveryPersona.
func TestPatchCasesUnderEveryPersona(t *testing.T) {
	names, err := filepath.Glob("../testdata/patches/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seed := chance.Seed(t)
	for _, p := range personas.All() {
		if p.Name == "hostile" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				for _, name := range inPersona(t, seed, names, p.Name) {
					runPatchCaseIn(t, p, name)
				}
			})
		})
	}
}

func runPatchCaseIn(t *testing.T, p personas.Persona, name string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	where := " in " + p.Name
	got := runPatchCase(t, archive, func(files map[string]string) *session {
		return startInBubble(t, files, p.Options(headless.Options{}))
	})
	usual := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool { return strings.Contains(f.Name, " in ") })
	want := usual
	own := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool { return !strings.HasSuffix(f.Name, where) })
	if len(own) > 0 {
		want = slices.DeleteFunc(slices.Clone(usual), func(f txtar.File) bool {
			return f.Name != "patch" && !strings.HasPrefix(f.Name, "before/")
		})
		for _, f := range own {
			want = append(want, txtar.File{Name: strings.TrimSuffix(f.Name, where), Data: f.Data})
		}
	}
	format := func(files []txtar.File) string { return string(txtar.Format(&txtar.Archive{Files: files})) }
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasSuffix(f.Name, where) })
		if format(got.Files) != format(usual) {
			for _, f := range got.Files {
				if f.Name != "patch" && !strings.HasPrefix(f.Name, "before/") {
					archive.Files = append(archive.Files, txtar.File{Name: f.Name + where, Data: f.Data})
				}
			}
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if g, w := format(got.Files), format(want); g != w {
		t.Errorf("%s: got\n%s\nwant\n%s", strings.TrimSuffix(filepath.Base(name), ".txtar"), g, w)
	}
}

// runPatchCase returns the case with its outcome.
func runPatchCase(t *testing.T, archive *txtar.Archive, start func(files map[string]string) *session) *txtar.Archive {
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
	s := start(before)
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
	var r transaction.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if !r.Applied || !r.Verified {
		t.Errorf("not verified: %+v", r)
	}
	for _, f := range r.Files {
		if _, err := os.Stat(s.path(f.Path)); f.Change == "delete" && err != nil || f.Change == "create" && err == nil && !f.Open {
			continue // as most editors do, at once
		}
		if err := s.SaveAll(f.URI); err != nil {
			t.Errorf("%v", err)
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
