package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// together calls tools in one write, and waits for all answers. Calls are name and
// arguments in turn.
func (c *mcpClient) together(calls ...string) {
	c.t.Helper()
	var lines strings.Builder
	for i := 0; i < len(calls); i += 2 {
		c.id++
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", c.id, calls[i], calls[i+1])
	}
	if _, err := c.in.Write([]byte(lines.String())); err != nil {
		c.t.Fatal(err)
	}
	for answered := 0; answered < len(calls)/2 && c.answers.Scan(); {
		line := c.answers.Text()
		if strings.Contains(line, `"isError":true`) || strings.Contains(line, `"error":{`) {
			c.t.Error(line)
		}
		if strings.Contains(line, `"result"`) {
			answered++
		}
	}
}

// The calls that a model sends together are run in their order: the line numbers of each
// assume the calls before it.
func TestMCPInOrder(t *testing.T) {
	liveeditor.Home(t)
	const before, after = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "top\n1\n2\n3\n5\n6\n7\n8\n9\n"
	calls := []string{
		"insert", `{"path":"a.txt","after_line":0,"content":"top"}`,
		"delete_lines", `{"path":"a.txt","start_line":5,"end_line":5}`,
	}
	back := []string{"undo", "{}", "undo", "{}"}
	root := liveeditor.Folder(t, map[string]string{"a.txt": before})
	c := startMCP(t, "--root", root)
	round := func(where string, text func() string) {
		t.Helper()
		for range 15 {
			c.together(calls...)
			if got := text(); got != after {
				t.Errorf("%s: %q, want %q", where, got, after)
			}
			c.together(back...)
		}
	}
	round("on disk", func() string { return liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) })
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("a.txt", "")
	round("live", b.Text)
	calls, want := nil, before // more than the server takes at once
	for i := range 300 {
		calls = append(calls, "insert", fmt.Sprintf(`{"path":"a.txt","after_line":0,"content":"%d"}`, i))
		want = fmt.Sprintf("%d\n", i) + want
	}
	if c.together(calls...); b.Text() != want {
		t.Errorf("many at once: %q, want %q", b.Text(), want)
	}
	c.leave()
	l.Stop()
}

// Every message that was read is answered, even after the end of the input.
func TestMCPAnswersAll(t *testing.T) {
	liveeditor.Home(t)
	const n = 20
	root := liveeditor.Folder(t, map[string]string{"a.txt": "a\n"})
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for i := range n {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"insert","arguments":{"path":"a.txt","after_line":0,"content":"%d"}}}`+"\n", i+1, i)
	}
	var out strings.Builder
	if code := run(streams{in: strings.NewReader(in), out: &out, err: t.Output()}, []string{"mcp", "--editor", "headless", "--root", root}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := strings.Count(out.String(), `"result"`); got != n+1 {
		t.Errorf("%d answers, want %d", got, n+1)
	}
	if got := strings.Count(liveeditor.OnDisk(t, filepath.Join(root, "a.txt")), "\n"); got != n+1 {
		t.Errorf("%d lines, want %d", got, n+1)
	}
}

// Text that no editor could hold is refused, not altered, on each way to an editor and by
// each dialect.
func TestMCPRefusesWhatIsNoText(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	refused := func(c *mcpClient, tool, arguments, want string) {
		t.Helper()
		c.id++
		if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", c.id, tool, arguments); err != nil {
			t.Fatal(err)
		}
		if !c.answers.Scan() || !strings.Contains(c.answers.Text(), want) || !strings.Contains(c.answers.Text(), `"isError":true`) {
			t.Errorf("%q: %s", arguments, c.answers.Text())
		}
	}
	c, codex := startMCP(t, "--root", root), startMCP(t, "--root", root, "--dialect", "codex")
	all := func() {
		t.Helper()
		refused(c, "write", `{"path":"a.txt","content":"\ud83d"}`, `Error: \"content\" has \\ud83d`)
		refused(c, "write", "{\"path\":\"a.txt\",\"content\":\"caf\xe9\"}", `Error: \"content\" is not UTF-8`)
		refused(c, "write", `{"path":"a.txt","content":"x","content":"y"}`, `Error: \"content\" is given twice`)
		refused(codex, "apply_patch", `{"input":"*** Begin Patch\n*** Add File: b.txt\n+\ud83d\n*** End Patch"}`, `Error: \"input\" has \\ud83d`)
	}
	all()
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("a.txt", "")
	all()
	if b.Text() != "one\n" || liveeditor.OnDisk(t, filepath.Join(root, "a.txt")) != "one\n" {
		t.Errorf("buffer %q, disk %q", b.Text(), liveeditor.OnDisk(t, filepath.Join(root, "a.txt")))
	}
	c.leave()
	codex.leave()
	l.Stop()
}
