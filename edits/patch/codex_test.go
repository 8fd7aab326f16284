package patch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestAgainstCodex applies generated patches as codex does. If its apply_patch succeeds,
// the texts must be equal, except for its known faults: it does not indent lines as the
// text does, adds a final newline, places lines below an anchor without context, and
// mishandles lone carriage returns.
func TestAgainstCodex(t *testing.T) {
	codex, err := exec.LookPath("apply_patch")
	if err != nil {
		t.Skip("codex's apply_patch is not in the PATH (CONTRIBUTING.md says how to get it)")
	}
	rng := chance.Rand(t)
	alike, loose, both := 0, 0, 0
	for range 500 {
		doc := codexText(rng)
		written := codexPatch(rng, doc)
		want, ok := runCodex(t, codex, doc, written)
		p, err := patch.Parse(written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		src := edits.Source{Path: "f", Text: text.New(doc)}
		plan, err := place.Plan(p.Files[0], src, place.Options{First: true})
		if !ok {
			if err != nil {
				both++
			}
			continue
		}
		var e *edits.Error
		if errors.As(err, &e) && (e.Kind == edits.NoChange || strings.Contains(e.Message, "only loosely")) {
			loose++ // codex writes the blanks of the patch, however the text is indented
			continue
		}
		if err != nil {
			t.Fatalf("codex makes %q of %q, here: %v\n%s", want, doc, err, written)
		}
		got := plan.Edits.Apply(src.Text).String()
		if slices.ContainsFunc(plan.Notes, func(n string) bool {
			return strings.Contains(n, "its indentation differs") || strings.Contains(n, "look-alikes")
		}) {
			loose++
			continue
		}
		if !strings.HasSuffix(got, "\n") && got != "" {
			got += "\n"
		}
		if got != want {
			t.Fatalf("of %q\ncodex makes %q,\nhere it is  %q: %v\n%s", doc, want, got, plan.Notes, written)
		}
		alike++
	}
	t.Logf("%d alike, %d with indentation or look-alikes of the text, %d refused by both", alike, loose, both)
	if alike < 100 {
		t.Errorf("only %d were compared", alike)
	}
}

func codexText(rng *rand.Rand) string {
	var b strings.Builder
	end := []string{"\n", "\n", "\r\n"}[rng.IntN(3)]
	for range 1 + rng.IntN(25) {
		indent := strings.Repeat("    ", rng.IntN(3))
		blanks := []string{"", "", "", " ", "\t"}[rng.IntN(5)]
		b.WriteString(indent + []string{"}", "", "x = 1", "return nil", "say “hi”", fmt.Sprint("line ", rng.IntN(30))}[rng.IntN(6)] + blanks + end)
	}
	return b.String()
}

// codexPatch changes runs of lines, with context that may be quoted loosely.
func codexPatch(rng *rand.Rand, doc string) string {
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(doc, "\r\n", "\n"), "\n"), "\n")
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Update File: f\n")
	for at := 0; at < len(lines); {
		from := at + rng.IntN(5)
		to := min(len(lines), from+1+rng.IntN(2))
		if from >= len(lines) {
			if at > 0 {
				break
			}
			from, to = 0, 1
		}
		quote := func(s string) string { return s }
		switch rng.IntN(6) {
		case 0:
			quote = func(s string) string { return strings.TrimRight(s, " \t") }
		case 1:
			quote = strings.TrimSpace
		}
		b.WriteString("@@\n")
		for _, l := range lines[max(at, from-rng.IntN(4)):from] {
			b.WriteString(" " + quote(l) + "\n")
		}
		for _, l := range lines[from:to] {
			b.WriteString("-" + quote(l) + "\n")
		}
		for range rng.IntN(3) {
			b.WriteString("+" + []string{"added", "    more", "", "x = 1"}[rng.IntN(4)] + "\n")
		}
		tail := min(len(lines), to+rng.IntN(4))
		for _, l := range lines[to:tail] {
			b.WriteString(" " + quote(l) + "\n")
		}
		if tail == len(lines) && rng.IntN(3) == 0 {
			b.WriteString("*** End of File\n")
		}
		at = tail
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

func runCodex(t *testing.T, codex, doc, sent string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(codex)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(sent)
	if cmd.Run() != nil {
		return "", false
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(got), true
}
