package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestAgentsReachAnEditor runs the editor's server, a command and an MCP server, each as a process of its own. The
// last two edit the unsaved text, and the file stays as it was.
func TestAgentsReachAnEditor(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"menu.txt": "soup\nbread\n"})
	menu := filepath.Join(root, "menu.txt")
	server, home, e := startListening(t, root)
	for _, name := range []string{"HOME", "LOCALAPPDATA", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	l := liveeditor.Of(t, root, e)
	b := l.Typed("menu.txt", "typed\n")
	program := patchls(t)
	command := func(args ...string) (string, error) {
		out, err := exec.Command(program, append(args, "--root", root)...).CombinedOutput()
		return string(out), err
	}
	holds := func(want string) {
		t.Helper()
		if b.Text() != want || !b.Dirty() || liveeditor.OnDisk(t, menu) != "soup\nbread\n" {
			t.Errorf("the buffer has %q, want %q; the file %q", b.Text(), want, liveeditor.OnDisk(t, menu))
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

	// An agent with a wrong token is told nothing.
	file := filepath.Join(liveeditor.DiscoveryIn(home), strconv.Itoa(server.Process.Pid)+".json")
	var said map[string]any
	if err := json.Unmarshal([]byte(liveeditor.OnDisk(t, file)), &said); err != nil {
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

// TestNothingIsWrittenUnderAnotherEditorsText: what an agent has an editor save, delete or put back is not written while
// another editor has unsaved text of the file, also if the command names an edit or nothing at all.
func TestNothingIsWrittenUnderAnotherEditorsText(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"menu.txt": "soup\n"})
	liveeditor.Home(t)
	server, home, e := startListening(t, root)
	for _, name := range []string{"HOME", "LOCALAPPDATA", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	does := func(want string, args ...string) string {
		t.Helper()
		code, out, errs := commandLine(t, "", append(args, "--editor", strconv.Itoa(server.Process.Pid), "--root", root)...)
		if (code != 0) != (want != "") || !strings.Contains(out+errs, want) {
			t.Errorf("%q: exit code %d, %s%s; want %q", args, code, out, errs, want)
		}
		return out
	}
	id := regexp.MustCompile(`e\d+-[a-z0-9]{4}`)
	does("", "call", "create", "path=new.txt", "content=new", "--save")
	made := id.FindString(does("", "call", "list", "--json"))
	does("", "call", "str_replace", "path=menu.txt", "old_str=soup", "new_str=bread")
	other := liveeditor.Start(t, root, headless.Options{})
	b := other.Typed("menu.txt", "typed\n")
	other.Typed("new.txt", "typed\n")
	const unsaved = "patchls-headless (pid "
	does(unsaved, "call", "save")
	does(unsaved, "call", "undo", "edit_id="+made)
	if menu, added := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")), liveeditor.OnDisk(t, filepath.Join(root, "new.txt")); menu != "soup\n" || added != "new" {
		t.Errorf("on disk is %q, and %q", menu, added)
	}
	b.Close()
	if err := other.Call(t.Context(), "patchls/synced", nil, nil); err != nil {
		t.Fatal(err)
	}
	goOn := other.Stall()
	does("does not answer", "call", "save")
	goOn()
	does("", "call", "save")
	if menu := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); menu != "bread\n" {
		t.Errorf("on disk is %q", menu)
	}
	_ = e.Close()
}

// TestTheProgramByItself runs what needs no editor, each as a process of its own.
func TestTheProgramByItself(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"menu.txt": "soup\nbread\n"})
	menu, program := filepath.Join(root, "menu.txt"), patchls(t)
	run := func(stdin string, args ...string) string {
		t.Helper()
		command := exec.Command(program, args...)
		command.Dir, command.Stdin = root, strings.NewReader(stdin)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s", args, err, out)
		}
		return string(out)
	}
	if out := run("", "demo"); !strings.Contains(out, "verified: true") || strings.Contains(out, "no: ") {
		t.Errorf("the demo says %s", out)
	}
	run("", "call", "str_replace", "path=menu.txt", "old_str=soup", "new_str=cold soup", "--save")
	run("--- a/menu.txt\n+++ b/menu.txt\n@@ -1,2 +1,2 @@\n cold soup\n-bread\n+dark bread\n", "apply", "-", "--save")
	if got := liveeditor.OnDisk(t, menu); got != "cold soup\ndark bread\n" {
		t.Errorf("the file has %q", got)
	}
}

// TestAProcessIsKilledInASave: after the next process has saved, the files of the killed process's patch are all old or
// all new, and no temporary files are left.
func TestAProcessIsKilledInASave(t *testing.T) {
	const old, next = "soup\n", "soup of the day\n"
	root, program := liveeditor.Folder(t, nil), patchls(t)
	a, b, c := filepath.Join(root, "a.txt"), filepath.Join(root, "b.txt"), filepath.Join(root, "c.txt")
	patch := ""
	for _, path := range []string{a, b} {
		patch += "--- a/" + filepath.Base(path) + "\n+++ b/" + filepath.Base(path) + "\n@@ -1 +1 @@\n-soup\n+soup of the day\n"
	}
	state := t.TempDir()
	for _, name := range []string{"HOME", "LOCALAPPDATA"} {
		t.Setenv(name, state)
	}
	journals := func() int {
		return count(filepath.Join(filepath.Dir(liveeditor.DiscoveryIn(state)), "saves", "*.journal"))
	}
	signs := []func() bool{ // of how far it has come
		func() bool { return journals() > 0 },
		func() bool { return count(filepath.Join(root, ".?.txt.patchls-*")) > 1 },
		func() bool { raw, _ := os.ReadFile(a); return string(raw) == next },
	}
	rounds := 3 * len(signs)
	if testing.Short() {
		rounds = len(signs)
	}
	for round := range rounds {
		for _, path := range []string{a, b, c} {
			if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.Command(program, "apply", "-", "--save")
		command.Dir, command.Stdin = root, strings.NewReader(patch)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = command.Wait(); close(ended) }()
		for came := false; !came; came = came || signs[round%len(signs)]() {
			select {
			case <-ended:
				came = true
			default:
			}
		}
		_ = command.Process.Kill()
		<-ended
		other := exec.Command(program, "call", "str_replace", "path="+c, "old_str=soup", "new_str=tea", "--save", "--root", root)
		if out, err := other.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if one, two := liveeditor.OnDisk(t, a), liveeditor.OnDisk(t, b); one != two || one != old && one != next {
			t.Errorf("the files have %q and %q", one, two)
		}
		if entries, err := os.ReadDir(root); len(entries) != 3 || journals() > 0 {
			t.Errorf("%v and %d journals are there (%v)", entries, journals(), err)
		}
	}
}

// count returns how many files the pattern names.
func count(pattern string) int {
	found, _ := filepath.Glob(pattern) // it is well-formed
	return len(found)
}
