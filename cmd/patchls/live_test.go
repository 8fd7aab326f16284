package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

const menu = "soup\nbread\ntea\n"

// commandLine runs one and returns what it printed.
func commandLine(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(streams{in: strings.NewReader(in), out: &o, err: &e}, args)
	return code, o.String(), e.String()
}

func TestTheCommandLineEditsInTheLiveEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\ntwo\n", "sub/b.txt": "b\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("a.txt", "typed\n")

	code, out, errs := commandLine(t, "", "call", "str_replace", `{"path":"a.txt","old_str":"typed\none","new_str":"uno"}`, "--root", root)
	if code != 0 || b.Text() != "uno\ntwo\n" || liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != "one\ntwo\n" || strings.Contains(out, "Not saved") {
		t.Fatalf("exit code %d, buffer %q, out %s%s", code, b.Text(), out, errs)
	}
	// In a folder of the workspace, file names are relative to that folder.
	patch := "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"
	code, out, errs = commandLine(t, patch, "apply", "-", "--save", "--root", filepath.Join(root, "sub"))
	if got := liveeditor.OnDisk(t, filepath.Join(root, "sub", "b.txt")); code != 0 || got != "c\n" {
		t.Fatalf("exit code %d, disk %q, out %s%s", code, got, out, errs)
	}
	if buffer, ok := l.Buffer(filepath.Join(root, "sub", "b.txt")); !ok || buffer.Dirty() {
		t.Error("the live editor did not save sub/b.txt")
	}
	if b.Text() != "uno\ntwo\n" || !b.Dirty() {
		t.Errorf("a.txt was touched or saved: %q", b.Text())
	}
	code, out, errs = commandLine(t, "", "call", "view", `{"path":"a.txt"}`, "--editor", fmt.Sprint(os.Getpid()), "--root", root)
	if code != 0 || !strings.Contains(out, "uno") {
		t.Errorf("by its pid: exit code %d, out %s%s", code, out, errs)
	}
	code, out, _ = commandLine(t, "", "editors")
	if want := fmt.Sprintf("%d\tpatchls-headless\t%s\n", os.Getpid(), root); code != 0 || out != want {
		t.Errorf("editors: exit code %d, %q, want %q", code, out, want)
	}
}

func TestTheEmbeddedEditorSavesNothingThatIsOpenElsewhere(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("a.txt", "typed\n")
	patch := "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
	for _, args := range [][]string{
		{"apply", "--save", "-"},
		{"call", "apply_patch", "{\"save\": true, \"patch\": " + strconv.Quote(patch) + "}"},
	} {
		code, out, errs := commandLine(t, patch, append(args, "--json", "--editor", "headless", "--root", root)...)
		var answer struct {
			Error struct {
				Message string
				Data    transaction.ErrorData
			}
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		if code != 1 || answer.Error.Data.Kind != edits.Rejected || !strings.Contains(answer.Error.Message, "patchls-headless") {
			t.Errorf("exit code %d, %+v", code, answer)
		}
		if a, b := liveeditor.OnDisk(t, filepath.Join(root, "a.txt")), liveeditor.OnDisk(t, filepath.Join(root, "b.txt")); a != "one\n" || b != "one\n" {
			t.Errorf("disk has %q and %q", a, b)
		}
	}
	if b.Text() != "typed\none\n" {
		t.Errorf("the buffer has %q", b.Text())
	}
	// A file is not removed from disk either if an editor has it open under its old name.
	move := "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.txt\n@@\n-one\n+two\n*** End Patch\n"
	code, _, errs := commandLine(t, move, "apply", "--save", "--editor", "headless", "--root", root)
	if _, err := os.Stat(filepath.Join(root, "c.txt")); code != 1 || !strings.Contains(errs, "has it open") || err == nil || liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != "one\n" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	// The command save goes the same way.
	code, _, errs = commandLine(t, "", "call", "str_replace", `{"path":"a.txt","old_str":"one","new_str":"x"}`, "--save", "--editor", "headless", "--root", root)
	if code != 1 || !strings.Contains(errs, "has it open") || liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != "one\n" {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestNothingIsWrittenWhileAnEditorDoesNotAnswer: an editor that runs and does not answer may have any file open, also one
// that is in none of its folders.
func TestNothingIsWrittenWhileAnEditorDoesNotAnswer(t *testing.T) {
	const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
	for name, inFolder := range map[string]bool{"its folder": true, "another folder": false} {
		t.Run(name, func(t *testing.T) {
			liveeditor.Home(t)
			root, other := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"}), t.TempDir()
			if inFolder {
				other = root
			}
			liveeditor.Silent(t, filepath.Join(liveeditor.Discovery(), "nobody-listens"), other)
			refused := func(door, said string) {
				t.Helper()
				if !strings.Contains(said, "Neovim (pid "+strconv.Itoa(os.Getpid())+") does not answer") || !strings.Contains(said, "Try again later") {
					t.Errorf("%s: got %s", door, said)
				}
				if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 || liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != "one\n" {
					t.Fatalf("%s: the folder has %v, and a.txt %q", door, entries, liveeditor.OnDisk(t, filepath.Join(root, "a.txt")))
				}
			}
			for _, args := range [][]string{
				{"call", "view", "path=a.txt"},
				{"call", "str_replace", "path=a.txt", "old_str=one", "new_str=two", "--save"},
				{"call", "str_replace", "path=a.txt", "old_str=one", "new_str=two", "save=true"},
				{"call", "str_replace", "path=a.txt", "old_str=one", "new_str=two", "--save", "--editor", "headless"},
				{"call", "create", "path=b.txt", "content=new", "--save"},
				{"apply", "-"},
				{"apply", "-", "--editor", "headless"},
			} {
				code, out, errs := commandLine(t, patch, append(args, "--root", root)...)
				if code != 1 {
					t.Errorf("%q: exit code %d, %s", args, code, out)
				}
				refused(strings.Join(args, " "), errs)
			}
			for tool, input := range map[string]map[string]any{
				"Edit": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}, "Write": {"file_path": "b.txt", "content": "new"},
			} {
				_, out, _ := commandLine(t, liveeditor.Question(t, root, "PreToolUse", tool, map[string]any{"tool_input": input}), "hook", "claude")
				refused("hook "+tool, out)
			}
			for _, editor := range []string{"auto", "headless"} {
				a := startMCP(t, "--editor", editor, "--root", root).call("str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"})
				refused("mcp "+editor, a.Content[0].Text)
			}
		})
	}
}

// TestTheFlagSavesMoreThanTheArgument: in a live editor the argument save leaves unsaved text of the user unsaved; the
// flag --save saves it too, because the user gave the flag.
func TestTheFlagSavesMoreThanTheArgument(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("a.txt", "typed\n")
	for _, c := range []struct{ flag, old, with, disk, note string }{
		{"", "one", "two", "one\n", "note: a.txt was not saved: it had unsaved changes"},
		{"--save", "two", "three", "typed\nthree\n", ""},
	} {
		args := []string{"call", "str_replace", "path=a.txt", "old_str=" + c.old, "new_str=" + c.with, "save=true", "--root", root}
		if c.flag != "" {
			args = append(args, c.flag)
		}
		code, out, errs := commandLine(t, "", args...)
		if got := liveeditor.OnDisk(t, filepath.Join(root, "a.txt")); code != 0 || got != c.disk || b.Text() != "typed\n"+c.with+"\n" {
			t.Errorf("%s: exit code %d, disk %q, buffer %q, %s%s", c.flag, code, got, b.Text(), out, errs)
		}
		if strings.Contains(out, "not saved") != (c.note != "") || !strings.Contains(out, c.note) {
			t.Errorf("%s: %s", c.flag, out)
		}
	}
}

func TestSavingInAnEditorThatCannot(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	helix, _ := personas.Named("helix")
	b := liveeditor.Start(t, root, helix.Options(headless.Options{})).Typed("a.txt", "typed\n")
	code, out, errs := commandLine(t, "", "call", "str_replace", `{"path":"a.txt","old_str":"one","new_str":"two"}`, "--save", "--json", "--root", root)
	if code != 1 || !strings.Contains(out, `"kind": "unsupported"`) || !strings.Contains(out, "in its buffer") || b.Text() != "typed\ntwo\n" {
		t.Errorf("exit code %d, buffer %q, out %s%s", code, b.Text(), out, errs)
	}
	code, out, errs = commandLine(t, "", "call", "str_replace", `{"path":"a.txt","old_str":"two","new_str":"three"}`, "--save", "--root", root)
	if code != 1 || !strings.Contains(out, "+three") || !strings.Contains(errs, "in its buffer") {
		t.Errorf("exit code %d, out %s, err %s", code, out, errs)
	}
}

// Two agents by MCP and one by the socket edit what a user has open and types in.
func TestManyAgentsAndAUser(t *testing.T) {
	liveeditor.Home(t)
	const each = 30
	lines := ""
	for i := range each {
		lines += fmt.Sprintf("[%d]\n", i)
	}
	root := liveeditor.Folder(t, map[string]string{"a.txt": lines})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("a.txt", "unsaved\n")

	bySocket, _, err := (&agent.Finder{Client: agent.ClientInfo{Name: "third"}}).Find(t.Context(), root, agent.About{Files: []string{"a.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bySocket.Close() }()
	third := func(name string, arguments map[string]any) transaction.Result {
		var r transaction.Result
		raw, err := bySocket.Execute(t.Context(), agent.Call{Command: name, Arguments: arguments})
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			t.Error(err)
		}
		return r
	}
	byMCP := func(c *mcpClient) func(string, map[string]any) transaction.Result {
		return func(name string, arguments map[string]any) transaction.Result {
			a := c.call(name, arguments)
			if a.IsError {
				t.Errorf("%s: %+v", name, a.Content)
			}
			return a.Result
		}
	}
	agents := []func(string, map[string]any) transaction.Result{
		byMCP(startMCP(t, "--root", root)), byMCP(startMCP(t, "--root", root)), third,
	}
	var all sync.WaitGroup
	for n, edit := range agents {
		all.Go(func() {
			for i := range each {
				// The user types while the others' edits are in flight. There are fewer letters than
				// tries of an edit, so that the load of the machine makes no difference.
				if err := b.Insert(0, "p"); err != nil {
					t.Error(err)
				}
				r := edit("str_replace", map[string]any{
					"path": "a.txt", "old_str": fmt.Sprintf("[%d]", i), "new_str": fmt.Sprintf("<%d>[%d]", n, i),
				})
				if !r.Applied || !r.Verified {
					t.Errorf("agent %d, edit %d: %+v", n, i, r)
				}
			}
		})
	}
	all.Wait()
	got := b.Text()
	if !strings.HasPrefix(got, strings.Repeat("p", each*len(agents))+"unsaved\n") {
		t.Errorf("what was typed is not all there: %.80q", got)
	}
	for i := range each {
		for n := range agents {
			if line := strings.Split(got, "\n")[1+i]; strings.Count(line, fmt.Sprintf("<%d>", n)) != 1 {
				t.Errorf("line %q lacks the edit of agent %d, or has it twice", line, n)
			}
		}
	}
	if liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != lines {
		t.Error("disk was written")
	}
}

// Each start of the server makes a new token: an agent that kept an old one is refused.
func TestAnOldTokenIsRefused(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	said := func() (socket, token string) {
		raw := liveeditor.OnDisk(t, filepath.Join(liveeditor.Discovery(), fmt.Sprintf("%d.json", os.Getpid())))
		var d struct{ Socket, Token string }
		if err := json.Unmarshal([]byte(raw), &d); err != nil {
			t.Fatal(err)
		}
		return d.Socket, d.Token
	}
	knock := func(socket, token string) string {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"initializationOptions":{"token":%q}}}`, token)
		if _, err := fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, 4096)
		n, err := conn.Read(answer)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer[:n])
	}
	first := liveeditor.Start(t, root, headless.Options{})
	socket, old := said()
	if answer := knock(socket, old); !strings.Contains(answer, `"result"`) {
		t.Errorf("the token is refused: %s", answer)
	}
	first.Stop()
	liveeditor.Start(t, root, headless.Options{})
	socket, token := said()
	if answer := knock(socket, old); !strings.Contains(answer, `"error"`) || strings.Contains(answer, `"result"`) || strings.Contains(answer, token) || strings.Contains(answer, old) {
		t.Errorf("the old token: %s", answer)
	}
}

// TestAgentsGetInLater: a server that could not let agents in tries again, and they get in once they can, also if the folder
// in which they find the server is removed after that.
func TestAgentsGetInLater(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": menu})
	if err := os.MkdirAll(filepath.Dir(liveeditor.Discovery()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(liveeditor.Discovery(), nil, 0o600); err != nil { // where the folder is to be
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	done, log := make(chan error, 1), &failure{seen: make(chan struct{})}
	go func() {
		done <- lsp.Serve(context.Background(), ours, lsp.Options{Version: "test", Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
			letIn(ctx, endpoint, slog.New(slog.NewTextHandler(log, nil)))
		}})
	}()
	e, err := headless.Start(context.Background(), theirs, headless.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close(); <-done }()
	<-log.seen
	if err := os.Remove(liveeditor.Discovery()); err != nil {
		t.Fatal(err)
	}
	find := finder(streams{err: t.Output()}, root)
	defer find.Close()
	getsIn := func() {
		t.Helper()
		for end := time.Now().Add(time.Minute); len(find.Editors(t.Context())) == 0; time.Sleep(50 * time.Millisecond) { //nolint:forbidigo // asked again until the server tries again
			if time.Now().After(end) {
				t.Fatal("no agent gets in")
			}
		}
	}
	getsIn()
	if err := os.RemoveAll(filepath.Dir(liveeditor.Discovery())); err != nil {
		t.Fatal(err)
	}
	getsIn()
}

// failure is a log that notes its first line.
type failure struct {
	seen chan struct{}
	once sync.Once
}

func (f *failure) Write(line []byte) (int, error) {
	f.once.Do(func() { close(f.seen) })
	return len(line), nil
}
