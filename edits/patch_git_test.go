package edits_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// tree is the files of a directory, by their names.
type tree map[string]string

// gitCommits is how many commits are generated.
const gitCommits = 1000

// TestAgainstGit applies the diffs of a generated history: to what they were made
// of, where the result must be the commit's files; and to files that have moved
// on, where whatever git apply does is done, byte for byte, or refused because it
// is ambiguous.
func TestAgainstGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and there is nothing else to compare with")
	}
	rng := seeded(t)
	history := []tree{{}}
	for range gitCommits {
		history = append(history, nextTree(rng, history[len(history)-1]))
	}
	diffs := gitDiffs(t, history[1:])
	moved, refused, failed, byGit := 0, 0, 0, 0
	for i, diff := range diffs {
		before, after := history[i], history[i+1]
		got, err := before.apply(diff)
		if err != nil || !maps.Equal(got, after) {
			t.Fatalf("commit %d: %v\n%s%s", i, err, diff, before.differing(got, after))
		}
		now := drifted(rng, before)
		want, ok := gitApply(t, now, diff)
		if !ok {
			failed++
			continue
		}
		got, err = now.apply(diff)
		var e *edits.Error
		switch {
		case errors.As(err, &e) && e.Kind == edits.ContextAmbiguous:
			refused++
		case err == nil && glued(got, want, diff):
			byGit++
		case err != nil || !maps.Equal(got, want):
			t.Fatalf("commit %d, moved: %v\n%s%s", i, err, diff, now.differing(got, want))
		default:
			moved++
		}
	}
	t.Logf("%d diffs; moved: %d applied alike, %d refused as ambiguous, %d that git refuses, %d in which git glues lines", len(diffs), moved, refused, failed, byGit)
	if moved < len(diffs)/4 {
		t.Errorf("only %d moved diffs were compared", moved)
	}
}

// glued reports whether want, which git made, differs in line ends that it lost:
// where a hunk whose last line has no newline is no longer at the end of its file,
// git puts that line before the next one as it is. The text here has them.
func glued(got, want tree, diff string) bool {
	if !strings.Contains(diff, "\n\\ No newline at end of file\n") || maps.Equal(got, want) {
		return false
	}
	without := func(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }
	for name, s := range want {
		if without(got[name]) != without(s) || strings.Count(got[name], "\n") < strings.Count(s, "\n") {
			return false
		}
	}
	return len(got) == len(want)
}

// apply returns the tree after a patch.
func (files tree) apply(patch string) (tree, error) {
	p, err := edits.ParsePatch(patch)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(files)
	for _, f := range p.Files {
		was, there := files[f.Path]
		if (f.Op == edits.AddFile) == there {
			return nil, fmt.Errorf("%q: there is %v", f.Path, there)
		}
		switch {
		case f.Op == edits.AddFile:
			out[f.Path] = f.Content
			continue
		case f.Op == edits.DeleteFile || f.NewPath != "":
			delete(out, f.Path)
		}
		if len(f.Hunks) > 0 {
			src := edits.Source{Path: f.Path, Text: text.New(was)}
			plan, err := f.Plan(src, edits.Placing{})
			if err != nil {
				return nil, fmt.Errorf("%q: %w", f.Path, err)
			}
			was = plan.Edits.Apply(src.Text).String()
			if err := plan.Edits.Validate(src.Text.Len()); err != nil {
				return nil, err
			}
		}
		switch {
		case f.Op == edits.DeleteFile && was != "":
			return nil, fmt.Errorf("%q: %q is left", f.Path, was)
		case f.NewPath != "":
			out[f.NewPath] = was
		case f.Op == edits.UpdateFile:
			out[f.Path] = was
		}
	}
	return out, nil
}

// differing shows the files that are not as they should be.
func (files tree) differing(got, want tree) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if s, ok := got[name]; s != want[name] || !ok {
			fmt.Fprintf(&b, "\n%q is    %q, there: %v\nshould be %q\nwas       %q", name, s, ok, want[name], files[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			fmt.Fprintf(&b, "\n%q should not be there", name)
		}
	}
	return b.String()
}

// oddNames are names that a diff has to quote, or that look like something else.
var oddNames = []string{
	"a.go", "src/b.go", "src/deep/c.txt", "with a blank.txt", "quo\"te.txt", "ünï/日本.txt", "tab\there.txt",
	"a/b.txt", "b/a.txt", "-dash.txt", "back\\slash.txt", "dev/null.txt", "trailing ", "x y/z w.md", "+++ x", "--- y",
}

// nextTree changes, makes, renames and deletes files.
func nextTree(rng *rand.Rand, files tree) tree {
	next := maps.Clone(files)
	for maps.Equal(next, files) {
		for range 1 + rng.IntN(3) {
			name := oddNames[rng.IntN(len(oddNames))]
			was, there := next[name]
			switch {
			case !there:
				next[name] = sourceText(rng)
			case rng.IntN(12) == 0:
				delete(next, name)
			case rng.IntN(10) == 0:
				if to := oddNames[rng.IntN(len(oddNames))]; next[to] == "" && to != name {
					delete(next, name)
					next[to] = edited(rng, was, rng.IntN(2))
				}
			default:
				next[name] = edited(rng, was, 1+rng.IntN(4))
			}
		}
	}
	return next
}

// sourceText returns a text of few different lines, with one kind of line end.
func sourceText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(60) {
		b.WriteString(sourceLine(rng) + "\n")
	}
	s := b.String()
	if rng.IntN(5) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	if rng.IntN(5) == 0 {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s
}

func sourceLine(rng *rand.Rand) string {
	indent := strings.Repeat([]string{"\t", "  "}[rng.IntN(2)], rng.IntN(3))
	return indent + []string{
		"", "}", "return nil", fmt.Sprintf("x%d := %d", rng.IntN(9), rng.IntN(9)), "-- a comment", "++ plus", "@@ -1 +1 @@",
		"--- a/x", "+++ b/x", "*** End Patch", "say “hi”", "日本語 😀", "end ", "\\ No newline", "diff --git a/x b/x", fmt.Sprint("line ", rng.IntN(999)),
	}[rng.IntN(16)]
}

// edited returns s with some runs of lines changed.
func edited(rng *rand.Rand, s string, times int) string {
	end := "\n"
	if strings.Contains(s, "\r\n") {
		end = "\r\n"
	}
	for range times {
		lines := strings.SplitAfter(s, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		at := rng.IntN(len(lines) + 1)
		to := min(len(lines), at+rng.IntN(4))
		var put []string
		for range rng.IntN(4) {
			put = append(put, sourceLine(rng)+end)
		}
		if at == len(lines) && at > 0 && !strings.HasSuffix(lines[at-1], "\n") {
			lines[at-1] += end
		}
		lines = slices.Replace(lines, at, to, put...)
		s = strings.Join(lines, "")
		if rng.IntN(8) == 0 {
			s = strings.TrimSuffix(s, end)
		}
	}
	return s
}

// drifted returns files that have moved on: lines came and went here and there.
func drifted(rng *rand.Rand, files tree) tree {
	out := maps.Clone(files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if s := files[name]; s != "" && rng.IntN(2) == 0 {
			out[name] = edited(rng, s, 1+rng.IntN(2))
		}
	}
	return out
}

// gitDiffs returns the diff that makes each tree of the one before it, the first
// one of nothing.
func gitDiffs(t *testing.T, history []tree) []string {
	t.Helper()
	dir := t.TempDir()
	var in bytes.Buffer
	for i, files := range history {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n", i+1)
		if i > 0 {
			fmt.Fprintf(&in, "from :%d\n", i)
		}
		in.WriteString("deleteall\n")
		for _, name := range slices.Sorted(maps.Keys(files)) {
			quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
			fmt.Fprintf(&in, "M 100644 inline \"%s\"\ndata %d\n%s\n", quoted, len(files[name]), files[name])
		}
	}
	git(t, dir, nil, "init", "-q", "--bare", ".")
	git(t, dir, &in, "fast-import", "--quiet")
	const mark = "\x01commit\x01\n"
	log := git(t, dir, nil, "log", "--reverse", "-p", "-M", "--no-color", "--format=%x01commit%x01", "main")
	return strings.Split(log, mark)[1:]
}

// gitApply returns what git apply makes of files, and whether it does.
func gitApply(t *testing.T, files tree, diff string) (tree, bool) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	for name, s := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gitEnv(dir), strings.NewReader(diff)
	if cmd.Run() != nil {
		return nil, false
	}
	out := tree{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, true
}

func git(t *testing.T, dir string, in *bytes.Buffer, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv(dir)
	var out, complaint bytes.Buffer
	if cmd.Stdout, cmd.Stderr = &out, &complaint; in != nil {
		cmd.Stdin = in
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, &complaint)
	}
	return out.String()
}

// gitEnv keeps the settings of the machine out.
func gitEnv(dir string) []string {
	return append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
}
