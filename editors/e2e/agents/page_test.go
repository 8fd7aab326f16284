//go:build linux

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/agent/setup"
	"github.com/patchls/patchls/lsp/page"
)

//go:generate go test . -run PagesAreUpToDate -update

var update = flag.Bool("update", false, "rewrite what README.md, docs/agents.md and the pages of docs/agents have from here")

// made matches a generated part of a page, with its name.
var made = regexp.MustCompile("(?s)(<!-- Made by `make generate`: (\\w+)\\. Do not edit\\. -->\n).*?(<!-- End -->)")

// TestPagesAreUpToDate compares README.md, docs/agents.md and docs/agents with the programs tried here, and with what
// patchls setup and patchls mcp write.
func TestPagesAreUpToDate(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "agents", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join(root, "docs", "agents.md"), filepath.Join(root, "README.md"))
	s := newScene(t)
	calls := s.calls(t)
	parts := map[string]string{
		"tried": triedTable(), "programs": programTable(), "calls": dialogue(calls...), "dialects": s.dialects(t),
		"session": dialogue(calls[0], calls[2], calls[3]), // a view, an edit and an error
	}
	for _, a := range setup.Agents {
		parts[a.Name] = byHandOf(t, a)
	}
	for _, name := range pages {
		upToDate(t, name, parts)
	}
	for name := range parts {
		t.Errorf("no page has the part %q", name)
	}
}

// upToDate compares the generated parts of a page with parts, and removes them from there.
func upToDate(t *testing.T, name string, parts map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := made.ReplaceAllStringFunc(string(raw), func(part string) string {
		m := made.FindStringSubmatch(part)
		text, is := parts[m[2]]
		if !is {
			t.Errorf("%s has a part %q, which is not made", name, m[2])
		}
		delete(parts, m[2])
		return m[1] + text + m[3]
	})
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	has := strings.Split(string(raw), "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(has) || line != has[i] {
			t.Errorf("line %d of %s should be\n%s\nrun: make generate", i+1, name, line)
			return
		}
	}
}

// newScene sets the scene for patchls alone.
func newScene(t *testing.T) *scene {
	t.Helper()
	folder := t.TempDir()
	s := &scene{folder: folder, menu: filepath.Join(folder, "menu", "menu.txt"), bin: t.TempDir()}
	build := exec.Command("go", "build", "-o", s.bin, "github.com/patchls/patchls/cmd/patchls")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Cleanup(s.close)
	if err := s.setUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// byHandOf is what patchls setup writes for an agent.
func byHandOf(t *testing.T, a setup.Agent) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "COPILOT_HOME"} {
		t.Setenv(name, "")
	}
	files, err := a.ByHand()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "`%s`:\n\n```%s\n%s```\n\n", strings.Replace(f.Path, home, "~", 1), strings.TrimPrefix(filepath.Ext(f.Path), "."), f.After)
	}
	return b.String()
}

// triedTable is which versions were tried, and the tools with which programs that do not know patchls wrote a file.
func triedTable() string {
	var b strings.Builder
	b.WriteString("| program | version | tried by | own tools that wrote |\n|---|---|---|---|\n")
	for _, p := range programs {
		var tools []string
		for _, st := range p.writes {
			tool := "`" + st.tool + "`"
			if command, is := st.args["cmd"].(string); is {
				name, _, _ := strings.Cut(command, " ")
				tool += " of `" + name + "`"
			}
			if !slices.Contains(tools, tool) {
				tools = append(tools, tool)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | `make agents` | %s |\n", p.title, p.version, strings.Join(tools, ", "))
	}
	fmt.Fprintf(&b, "| `%s` | %s | `make agents` | |\n", adapter.pkg, adapter.version)
	for _, p := range byHand {
		fmt.Fprintf(&b, "| %s | %s | hand | |\n", p.title, p.version)
	}
	return b.String()
}

// programTable is what was seen of the programs.
func programTable() string {
	var b strings.Builder
	b.WriteString("| program | its model sees at first | of a long answer | so a page of `view` has | waits for an answer | its name for `view` |\n|---|---|---|---|---|---|\n")
	row := func(p program, link string) {
		link = fmt.Sprintf(link, strings.ToLower(strings.ReplaceAll(p.title, " ", "-")))
		view := "not known"
		if p.view != "" {
			view = "`" + p.view + "`"
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %d bytes | %s | %s |\n", p.title, link, p.shows, p.cuts, page.Bytes(p.title), cmp.Or(p.waits, "not known"), view)
	}
	for _, p := range programs {
		row(p, "%s.md")
	}
	for _, p := range byHand {
		row(p, "others.md#%s")
	}
	return b.String()
}

// calls are the steps of the script of all programs, each with what patchls answers.
func (s *scene) calls(t *testing.T) (calls []string) {
	t.Helper()
	ask := s.patchls(t)
	for _, st := range script {
		arguments, err := json.Marshal(st.args)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Content []struct{ Text string }
		}
		ask("tools/call", map[string]any{"name": st.tool, "arguments": st.args}, &r)
		call := fmt.Sprintf("> %s %s\n%s\n", st.tool, arguments, strings.TrimSuffix(r.Content[0].Text, "\n"))
		calls = append(calls, editTag.ReplaceAllString(call, "$1-k3fq"))
	}
	if got := s.buffer.Text(); got != after {
		t.Errorf("the buffer is %q, want %q", got, after)
	}
	return calls
}

// dialogue is a block with calls.
func dialogue(calls ...string) string {
	return "```text\n" + strings.Join(calls, "\n") + "```\n"
}

// editTag matches the id of an edit, of which each server has others.
var editTag = regexp.MustCompile(`\b(e\d+)-[a-z0-9]{4}\b`)

// dialects are the tools of each.
func (s *scene) dialects(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| dialect | tools |\n|---|---|\n")
	for _, name := range mcp.Dialects() {
		var r struct {
			Tools []struct{ Name string }
		}
		s.patchls(t, "--dialect", name)("tools/list", map[string]any{}, &r)
		var tools []string
		for _, tool := range r.Tools {
			tools = append(tools, "`"+tool.Name+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.Join(tools, ", "))
	}
	return b.String()
}

// patchls starts the MCP server, and returns what asks it.
func (s *scene) patchls(t *testing.T, flags ...string) func(method string, params, result any) {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, "patchls"), append([]string{"mcp"}, flags...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.project(), s.env(), t.Output()
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
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	ask := func(method string, params, result any) {
		t.Helper()
		raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err == nil {
			_, err = in.Write(append(raw, '\n'))
		}
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		for err == nil && answer.ID == 0 { // else it is a notification
			var line []byte
			if line, err = lines.ReadBytes('\n'); err == nil {
				err = json.Unmarshal(line, &answer)
			}
		}
		if err == nil {
			err = json.Unmarshal(answer.Result, result)
		}
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	var ignored json.RawMessage
	ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, &ignored)
	return ask
}
