package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp/transaction"
)

// mcpClient speaks to "patchls mcp".
type mcpClient struct {
	t       *testing.T
	in      io.Writer
	answers *bufio.Scanner
	id      int
	leave   func()
}

func startMCP(t *testing.T, args ...string) *mcpClient {
	t.Helper()
	return startMCPAs(t, "test", args...)
}

// startMCPAs is startMCP for a client of that name.
func startMCPAs(t *testing.T, name string, args ...string) *mcpClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan int, 1)
	if !slices.Contains(args, "--dialect") {
		args = append(args, "--structured")
	}
	go func() {
		done <- run(streams{in: inR, out: outW, err: t.Output()}, append([]string{"mcp", "--editor", "auto"}, args...))
		_, _ = inR.Close(), outW.Close()
	}()
	c := greetMCP(t, name, outR, inW)
	c.leave = sync.OnceFunc(func() {
		_ = inW.Close()
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		if code := <-done; code != 0 {
			t.Errorf("patchls mcp: exit code %d", code)
		}
	})
	t.Cleanup(c.leave)
	return c
}

// startMCPProcess is startMCP with a process of its own, which the test ends.
func startMCPProcess(t *testing.T, errs io.Writer, args ...string) (*mcpClient, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(patchls(t), append([]string{"mcp", "--structured"}, args...)...)
	cmd.Stderr = errs
	ends := startProcess(t, cmd)
	return greetMCP(t, "test", ends, ends), cmd
}

// greetMCP is the handshake.
func greetMCP(t *testing.T, name string, out io.Reader, in io.Writer) *mcpClient {
	t.Helper()
	c := &mcpClient{t: t, in: in, answers: bufio.NewScanner(out)}
	c.answers.Buffer(nil, 1<<20)
	c.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": name, "version": "1"},
	})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *mcpClient) send(message map[string]any) {
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = c.in.Write(append(raw, '\n'))
	}
	if err != nil {
		c.t.Error(err)
	}
}

func (c *mcpClient) request(method string, params any) json.RawMessage {
	c.id++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	for c.answers.Scan() {
		var m struct {
			ID     int             `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(c.answers.Bytes(), &m); err != nil {
			c.t.Errorf("%v: %s", err, c.answers.Bytes())
		}
		if m.Method == "" && m.ID == c.id {
			if m.Error != nil {
				c.t.Errorf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
	c.t.Errorf("%s: no answer", method)
	return nil
}

// toolAnswer is the answer of a tool.
type toolAnswer struct {
	IsError bool
	Content []struct{ Text string }
	Result  transaction.Result `json:"structuredContent"`
}

func (c *mcpClient) call(tool string, arguments map[string]any) (a toolAnswer) {
	raw := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err := json.Unmarshal(raw, &a); err != nil {
		c.t.Errorf("%s: %v: %s", tool, err, raw)
	}
	return a
}

// What an agent was shown is the base of what it writes, also after its connection had to give way to others. Where its program
// names its threads, each has seen what it was shown itself.
func TestMCPRemembersWhatWasShown(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	buffer := l.Typed("menu.txt", "cake\n")
	c := startMCP(t, "--root", root)
	in := func(thread, tool string, arguments map[string]any) string {
		raw := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{"threadId": thread}})
		return string(raw)
	}
	wants := func(said any, want string) {
		t.Helper()
		if got := buffer.Text(); got != want {
			t.Errorf("the buffer is %q, want %q; it is told %v", got, want, said)
		}
	}
	view := map[string]any{"path": "menu.txt"}
	c.call("view", view)
	for range 32 {
		other := finder(streams{err: t.Output()}, root)
		other.Client.Name = "another"
		t.Cleanup(other.Close)
		if conns, _ := other.All(t.Context()); len(conns) != 1 {
			t.Fatal("no editor")
		}
	}
	for tries := 0; tries < 100 && c.call("list", nil).IsError; tries++ { // it may have been sent to the connection that had to end
	}
	wants(c.call("write", map[string]any{"path": "menu.txt", "content": "pie\nsoup\nbread\ntea\n"}), "pie\nsoup\nbread\ntea\n")
	in("a", "view", view)
	l.Type(buffer, 0, "typed\n")
	in("b", "view", view)
	wants(in("a", "write", map[string]any{"path": "menu.txt", "content": "pie\nsoup\nbread\ngreen tea\n"}), "typed\npie\nsoup\nbread\ngreen tea\n")
	wants(in("b", "write", map[string]any{"path": "menu.txt", "content": "pie\nstew\nbread\ntea\n"}), "pie\nstew\nbread\ngreen tea\n") // it has seen what was typed
}

// Sub-agents whose program does not tell them apart: one of them sends what it was shown before the user typed a line,
// which another one was shown.
func TestMCPSubAgents(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	buffer := l.Typed("menu.txt", "")
	c := startMCP(t, "--root", root)
	view := map[string]any{"path": "menu.txt"}
	c.call("view", view)
	l.Type(buffer, 0, "typed\n")
	c.call("view", view)
	said := c.call("delete_lines", map[string]any{"path": "menu.txt", "start_line": 2, "end_line": 2})
	if got, want := buffer.Text(), "typed\n"+menu; got != want || !said.IsError {
		t.Errorf("a number that was that of two lines: %q, want %q; it is told %v", got, want, said)
	}
	said = c.call("write", map[string]any{"path": "menu.txt", "content": "soup\nbread\ngreen tea\n"})
	if got, want := buffer.Text(), "typed\n"+menu; got != want || !said.IsError {
		t.Errorf("a text without the line: %q, want %q; it is told %v", got, want, said)
	}
	said = c.call("write", map[string]any{"path": "menu.txt", "content": "typed\nsoup\nbread\ngreen tea\n"})
	if got, want := buffer.Text(), "typed\nsoup\nbread\ngreen tea\n"; got != want {
		t.Errorf("a text with the line: %q, want %q; it is told %v", got, want, said)
	}
}

// What Claude Code's Read shows is the base of what the same session writes with a tool of patchls.
func TestMCPIsOfTheSessionOfTheHook(t *testing.T) {
	for name, want := range map[string]string{"claude-code": "pie\nsoup\nbread\ntea\n", "another": "cake\n" + menu} {
		liveeditor.Home(t)
		t.Setenv("CLAUDE_CODE_SESSION_ID", "s1")
		root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
		l := liveeditor.Start(t, root, headless.Options{})
		buffer := l.Typed("menu.txt", "cake\n")
		read := liveeditor.Question(t, root, "PostToolUse", "Read", map[string]any{
			"session_id": "s1", "tool_input": map[string]any{"file_path": filepath.Join(root, "menu.txt")}, "tool_response": map[string]any{"type": "text"},
		})
		if _, out, _ := commandLine(t, read, "hook", "claude"); !strings.Contains(out, "cake") {
			t.Errorf("it reads %s", out)
		}
		c := startMCPAs(t, name, "--root", root)
		said := c.call("write", map[string]any{"path": "menu.txt", "content": "pie\nsoup\nbread\ntea\n"})
		if got := buffer.Text(); got != want {
			t.Errorf("of %s the buffer is %q, want %q; it is told %v", name, got, want, said.Content)
		}
		c.leave()
		l.Stop()
	}
}

// An agent's server starts before the editor, and stays when the editor ends and comes
// again.
func TestMCPFollowsTheEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	file := filepath.Join(root, "a.txt")
	c := startMCP(t, "--root", root)
	replace := func(old, with string) toolAnswer {
		t.Helper()
		a := c.call("str_replace", map[string]any{"path": "a.txt", "old_str": old, "new_str": with})
		if a.IsError || !a.Result.Verified {
			t.Errorf("%+v", a)
		}
		return a
	}
	for tool, arguments := range map[string]map[string]any{ // which do nothing
		"list": {}, "view": {"path": "a.txt"}, "save": {}, "delete_lines": {"path": "a.txt", "start_line": 7, "end_line": 7},
		"write": {"path": "a.txt", "content": "x", "dry_run": true},
	} {
		text := c.call(tool, arguments).Content[0].Text
		if !strings.HasPrefix(text, "note: "+noLiveEditor+"\n") || strings.Contains(text, editedByEmbedded) {
			t.Errorf("%s: %s", tool, text)
		}
	}
	a := replace("one", "two")
	if liveeditor.OnDisk(t, file) != "two\n" || !a.Result.Files[0].Saved || strings.Join(a.Result.Notes, "") != editedByEmbedded {
		t.Errorf("without an editor: disk %q, %+v", liveeditor.OnDisk(t, file), a)
	}
	for i, want := range []string{"three", "four"} {
		l := liveeditor.Start(t, root, headless.Options{})
		b := l.Typed("a.txt", "typed ")
		a := replace([]string{"two", "three"}[i], want)
		if b.Text() != "typed "+want+"\n" || len(a.Result.Notes) > 0 && strings.Contains(a.Result.Notes[0], "No live editor") {
			t.Errorf("with an editor: buffer %q, %+v", b.Text(), a)
		}
		if err := b.Replace(0, len("typed "), ""); err != nil {
			t.Fatal(err)
		}
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		l.Stop()
	}
	replace("four", "five") // on disk as the editor has left it
	if a := c.call("undo", map[string]any{}); a.IsError || liveeditor.OnDisk(t, file) != "four\n" {
		t.Errorf("undo: disk %q, %+v", liveeditor.OnDisk(t, file), a)
	}
}

// TestMCPWantsALiveEditor: the embedded editor is used only on request, because it might write a file for which an
// editor that was not found has unsaved text. The error gives the same advice as patchls doctor. The next call finds an
// editor that has started since, and that editor knows the agent by the name of its client.
func TestMCPWantsALiveEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	c := startMCP(t, "--editor", "live", "--root", root)
	write := map[string]any{"path": "a.txt", "content": "two\n"}
	want := func(part string) {
		t.Helper()
		if a := c.call("write", write); !a.IsError || !strings.Contains(a.Content[0].Text, part) {
			t.Errorf("got %+v, want %q", a, part)
		}
	}
	want("Error: nothing was done, since no live editor is found; to fix that, if an editor runs, have it start patchls")
	other := liveeditor.Start(t, t.TempDir(), headless.Options{})
	want("no live editor has a workspace folder that holds " + root)
	other.Stop()
	if err := os.Chmod(liveeditor.Discovery(), 0o755); err != nil {
		t.Fatal(err)
	}
	want("to fix that, chmod 700 " + liveeditor.Discovery())
	if err := os.Chmod(liveeditor.Discovery(), 0o700); err != nil {
		t.Fatal(err)
	}
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("a.txt", "typed ")
	c.call("view", map[string]any{"path": "a.txt"})
	if a := c.call("write", write); a.IsError || b.Text() != "two\n" || liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != "one\n" {
		t.Errorf("%+v", a)
	}
	if _, out, errs := commandLine(t, "", "call", "list", "--root", root, "--json"); !strings.Contains(out, `"agent": "test"`) {
		t.Errorf("%s%s", out, errs)
	}
}

// TestMCPPages: a view has as many bytes as the client shows its model, and the pages together have each line once.
func TestMCPPages(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"f.txt": ""})
	const total = 1000
	var typed strings.Builder
	for i := range total {
		fmt.Fprintf(&typed, "\"line\" %d:\t%s\n", i+1, strings.Repeat("文 ", i%40))
	}
	liveeditor.Start(t, root, headless.Options{}).Typed("f.txt", typed.String())
	for _, tt := range []struct {
		client, dialect, tool string
		page                  int
	}{
		{"Cline", "native", "view", 8000},
		{"codex-mcp-client", "native", "view", 9500},
		{"claude-code", "native", "view", 19500},
		{"cline", "smarthole", "read_file", 8000},
		{"codex", "claude", "str_replace_based_edit_tool", 9500},
		{"cline", "agent-zero", "text_editor", 8000},
	} {
		for start, pages := 1, 0; start <= total; pages++ {
			arguments := map[string]any{
				"view": map[string]any{"path": "f.txt", "start_line": start}, "read_file": map[string]any{"path": "f.txt", "start_line": start},
				"str_replace_based_edit_tool": map[string]any{"command": "view", "path": "f.txt", "view_range": []int{start, -1}},
				"text_editor":                 map[string]any{"action": "read", "path": "f.txt", "line_from": start, "line_to": total},
			}[tt.tool]
			call, err := json.Marshal(map[string]any{"name": tt.tool, "arguments": arguments})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			code := run(streams{in: strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"` + tt.client + `","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + string(call) + `}
`), out: &out, err: t.Output()}, []string{"mcp", "--root", root, "--dialect", tt.dialect})
			var answer struct {
				Result struct{ Content []struct{ Text string } }
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); code != 0 || err != nil || len(answer.Result.Content) == 0 {
				t.Fatalf("%v: exit code %d, %v, %s", tt, code, err, &out)
			}
			text := answer.Result.Content[0].Text
			rows := strings.Count(text, `"line" `)
			if len(text) > tt.page || rows == 0 || !strings.Contains(text, fmt.Sprintf("\"line\" %d:", start)) || strings.Contains(text, "bytes of this answer") {
				t.Fatalf("%v from line %d: %d bytes, %d rows; %.300s", tt, start, len(text), rows, text)
			}
			start += rows
		}
	}
}
