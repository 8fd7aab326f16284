// Package clients_test runs the clients of docs/build/clients against an editor with unsaved text.
package clients_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestClients: each client views the text on screen, edits it, and is told that the edit was verified.
func TestClients(t *testing.T) {
	scripts, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, program, file string }{
		{name: "Go"},
		{"Python", "python3", "client.py"},
		{"JavaScript", "node", "client.mjs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			liveeditor.Home(t)
			root := liveeditor.Folder(t, map[string]string{"menu.txt": "soup\nbread\n"})
			b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "cake\n")
			t.Chdir(root)
			var said string
			if c.file == "" {
				said = printed(t, client)
			} else {
				said = script(t, c.program, filepath.Join(scripts, c.file))
			}
			for _, want := range []string{"     1\tcake\n", "Replaced 1 occurrence in menu.txt at line 3. "} {
				if !strings.Contains(said, want) {
					t.Errorf("it prints %q, want %q in it", said, want)
				}
			}
			if !strings.HasSuffix(said, " true\n") {
				t.Errorf("it prints %q, want at the end that the edit was verified", said)
			}
			if got := b.Text(); got != "cake\nsoup\nrye\n" {
				t.Errorf("the buffer has %q", got)
			}
		})
	}
}

// script runs a client that replaces bread by rye, and then one that finds no bread, and returns what the first prints.
func script(t *testing.T, program, file string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skipf("%s connects to a Unix socket, and on Windows editors have named pipes", filepath.Base(file))
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed, so docs/build/clients/%s is not run", program, filepath.Base(file))
	}
	cmd := exec.CommandContext(t.Context(), path, file, "menu.txt", "bread", "rye")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	again, err := exec.CommandContext(t.Context(), path, file, "menu.txt", "bread", "rye").CombinedOutput()
	if err == nil || !strings.Contains(string(again), "no_match: ") {
		t.Errorf("sent again, it prints %q (%v), want the kind of the error", again, err)
	}
	return string(out)
}

// printed returns what a function prints to stdout.
func printed(t *testing.T, fn func()) string {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	stdout := os.Stdout
	os.Stdout = out
	defer func() { os.Stdout = stdout }()
	fn()
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}
