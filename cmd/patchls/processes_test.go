package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAgentsReachAnEditor runs the editor's server, a command and an MCP server, each as a process of its own. The
// last two edit the unsaved text, and the file stays as it was.
func TestAgentsReachAnEditor(t *testing.T) {
	root := folder(t, map[string]string{"menu.txt": "soup\nbread\n"})
	menu := filepath.Join(root, "menu.txt")
	server, home, e := startListening(t, root)
	for _, name := range []string{"HOME", "LOCALAPPDATA", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	l := &live{Editor: e, t: t, root: root}
	b := l.open("menu.txt", "typed\n")
	program := patchls(t)
	command := func(args ...string) (string, error) {
		out, err := exec.Command(program, append(args, "--root", root)...).CombinedOutput()
		return string(out), err
	}
	holds := func(want string) {
		t.Helper()
		if b.Text() != want || !b.Dirty() || onDisk(t, menu) != "soup\nbread\n" {
			t.Errorf("the buffer has %q, want %q; the file %q", b.Text(), want, onDisk(t, menu))
		}
	}

	if out, err := command("call", "str_replace", "path=menu.txt", "old_str=bread", "new_str=dark bread"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	holds("typed\nsoup\ndark bread\n")

	c, agent := startMCPProcess(t, io.Discard, "--root", root)
	if a := c.call("str_replace", map[string]any{"path": menu, "old_str": "soup", "new_str": "cold soup"}); a.IsError {
		t.Errorf("mcp: %+v", a)
	}
	holds("typed\ncold soup\ndark bread\n")
	_ = agent.Process.Kill()
	_ = agent.Wait()

	// One who has another token is told nothing.
	file := filepath.Join(discoveryIn(home), strconv.Itoa(server.Process.Pid)+".json")
	var said map[string]any
	if err := json.Unmarshal([]byte(onDisk(t, file)), &said); err != nil {
		t.Fatal(err)
	}
	said["token"] = strings.Repeat("0123456789abcdef", 4)
	raw, err := json.Marshal(said)
	if err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := command("call", "view", "path=menu.txt", "--editor", strconv.Itoa(server.Process.Pid)); err == nil || !strings.Contains(out, "token is not this server's") {
		t.Errorf("with another token: %v: %s", err, out)
	}
	holds("typed\ncold soup\ndark bread\n")
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
