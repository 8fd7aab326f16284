package lsp_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// TestCasesUnderEveryPersona runs testdata/edits/*.txtar in editors as they were
// measured. What follows is the same, but where an editor holds the text in
// another way: such a case carries what that editor gives, in sections "after in
// NAME", "message in NAME" or "error in NAME". -update rewrites those.
func TestCasesUnderEveryPersona(t *testing.T) {
	names, err := filepath.Glob("../testdata/edits/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seed := chance.Seed(t)
	for _, p := range personas.All() {
		if p.Name == "hostile" { // see TestCasesUnderHostility
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := startInBubble(t, nil, p.Options(headless.Options{}))
				as := p.Name
				if as == "vscode-plugin" {
					as = "vscode" // which holds a text in the same way
				}
				for _, name := range inPersona(t, seed, names, as) {
					runCaseIn(t, s, as, name)
				}
			})
		})
	}
}

// inPersona returns the cases to run in a persona: those that say what follows there, and a quarter of the others, drawn by
// the seed and their names. -update has all of them run.
func inPersona(t *testing.T, seed uint64, names []string, persona string) (chosen []string) {
	t.Helper()
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		drawn := fnv.New32a()
		fmt.Fprint(drawn, seed, persona, filepath.Base(name))
		if *update || drawn.Sum32()%4 == 0 || strings.Contains(string(raw), " in "+persona+" --") {
			chosen = append(chosen, name)
		}
	}
	return chance.Sample(chosen)
}

func caseNames(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("../testdata/edits/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return chance.Sample(names)
}

func runCaseIn(t *testing.T, s *session, persona, name string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	where := " in " + persona
	usual := readCase(t, archive)
	got := usual
	got.run(t, s)
	want := usual
	switch {
	case section(archive, "error"+where) != "":
		want.after, want.message, want.failure = want.before, "", section(archive, "error"+where)
	case section(archive, "message"+where) != "":
		want.after, want.message, want.failure = fromVisible(section(archive, "after"+where)), section(archive, "message"+where), ""
	}
	same := func(c testCase) bool {
		return got.after == c.after && got.message == c.message && got.failure == c.failure
	}
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasSuffix(f.Name, where) })
		if !same(usual) {
			archive.Files = append(archive.Files, got.follows(where)...)
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !same(want) {
		t.Errorf("%s:\n%q\n%s%s\nwant:\n%q\n%s%s", strings.TrimSuffix(filepath.Base(name), ".txtar"),
			got.after, got.message, got.failure, want.after, want.message, want.failure)
	}
}
