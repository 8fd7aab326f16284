package gittest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Diffs returns, for each tree, the diff from the one before it; the first is from an
// empty tree.
func Diffs(t *testing.T, history []Tree) []string {
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
	run(t, dir, nil, "init", "-q", "--bare", ".")
	run(t, dir, &in, "fast-import", "--quiet")
	const mark = "\x01commit\x01\n"
	log := run(t, dir, nil, "log", "--reverse", "-p", "-M", "--no-color", "--format=%x01commit%x01", "main")
	return strings.Split(log, mark)[1:]
}

// Apply returns the files after git apply, and whether it succeeded.
func (files Tree) Apply(t *testing.T, diff string) (Tree, bool) {
	t.Helper()
	dir := t.TempDir()
	defer func() { _ = os.RemoveAll(dir) }()
	files.Write(t, dir)
	cmd := exec.CommandContext(t.Context(), "git", "apply", "--whitespace=nowarn")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env(dir), strings.NewReader(diff)
	if cmd.Run() != nil {
		return nil, false
	}
	return Read(t, dir), true
}

// Write writes the files to a directory.
func (files Tree) Write(t *testing.T, dir string) {
	t.Helper()
	for name, s := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Read reads the files of a directory.
func Read(t *testing.T, dir string) Tree {
	t.Helper()
	out := Tree{}
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
	return out
}

// NeedGit skips a test where git is not installed.
func NeedGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and there is nothing else to compare with")
	}
}

func run(t *testing.T, dir string, in *bytes.Buffer, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, env(dir)
	var out, complaint bytes.Buffer
	if cmd.Stdout, cmd.Stderr = &out, &complaint; in != nil {
		cmd.Stdin = in
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, &complaint)
	}
	return out.String()
}

// env keeps the settings of the machine out.
func env(dir string) []string {
	return append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
}
