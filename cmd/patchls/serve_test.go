package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/editors/headless"
)

// process is a patchls that runs as an editor would start it.
type process struct {
	io.Reader
	io.WriteCloser
}

// TestServeAsAProcess starts the server as an editor does, and sees it end with
// the code that LSP asks for.
func TestServeAsAProcess(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(patchls(t), "serve", "--trace", trace)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e, err := headless.Start(context.Background(), process{out, in}, headless.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Execute(context.Background(), "patchls.str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"})
	if err != nil {
		t.Error(err)
	}
	if b, ok := e.Buffer("a.txt"); !ok || b.Text() != "two\n" {
		t.Errorf("buffer %v", b)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	raw, err := os.ReadFile(trace)
	if err != nil || !strings.Contains(string(raw), " <- ") || !strings.Contains(string(raw), " -> ") || !strings.Contains(string(raw), "workspace/applyEdit") {
		t.Errorf("trace (%v):\n%s", err, raw)
	}
}

// patchls returns a path under which the test's own binary is patchls (see
// testscript.Main).
func patchls(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "patchls")
	if err := os.Symlink(self, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	return name
}
