package patch_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
)

// TestAgainstContextDiff applies what diff -c writes of random trees: the result must be the new tree.
func TestAgainstContextDiff(t *testing.T) {
	if _, err := exec.LookPath("diff"); err != nil {
		t.Skip("diff is not installed, and there is nothing else that writes context diffs")
	}
	rng := chance.Rand(t)
	hunks := 0
	for range 60 {
		before, after := gittest.Tree{}, gittest.Tree{}
		for i := range 20 {
			name := fmt.Sprintf("dir/%02d", i)
			before[name] = strings.ReplaceAll(chance.Text(rng, 40), "\r", "")
			after[name] = changeLines(rng, before[name])
			if i%4 == 0 {
				before[name], after[name] = strings.ReplaceAll(before[name], "\n", "\r\n"), strings.ReplaceAll(after[name], "\n", "\r\n")
			}
			switch gone := rng.IntN(12); {
			case gone == 0 && after[name] != "":
				delete(before, name)
			case gone == 1 && before[name] != "":
				delete(after, name)
			}
		}
		written := contextDiff(t, before, after, 1+rng.IntN(4))
		hunks += strings.Count(written, "\n***************\n")
		got, err := applied(before, "", written)
		if err != nil || !maps.Equal(got, after) {
			t.Fatalf("%v\n%s%s", err, written, before.Differing(got, after))
		}
	}
	if hunks < 1000 {
		t.Errorf("only %d hunks were read", hunks)
	}
}

// contextDiff returns what diff -c writes with a number of lines of context.
func contextDiff(t *testing.T, before, after gittest.Tree, context int) string {
	t.Helper()
	dir := t.TempDir()
	before.Write(t, filepath.Join(dir, "a"))
	after.Write(t, filepath.Join(dir, "b"))
	cmd := exec.CommandContext(t.Context(), "diff", "-a", "-r", "-N", fmt.Sprintf("-C%d", context), "a", "b")
	cmd.Dir = dir
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &e) || e.ExitCode() > 1) {
		t.Fatal(err)
	}
	return string(out)
}

// contextTexts are lines that look like those of a context diff, and others.
var contextTexts = []string{"", "a", "\tx", "- x", "+ y", "! z", "  b", "*** 1,2 ****", "--- 1,2 ----", "***************", "*** x", "\\ x", "é"}

// changeLines deletes, replaces and adds a few lines of a text.
func changeLines(rng *rand.Rand, s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		switch rng.IntN(16) {
		case 0:
		case 1:
			b.WriteString(pick(rng, contextTexts) + "\n")
		case 2:
			b.WriteString(l)
			if strings.HasSuffix(l, "\n") {
				b.WriteString(pick(rng, contextTexts) + "\n")
			}
		default:
			b.WriteString(l)
		}
	}
	if rng.IntN(8) == 0 {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}
