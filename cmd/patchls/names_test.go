package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/internal/testkit/oneline"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/workspace/paths"
)

// named are arguments of each command about the file PATH, whose text is "one\ntwo\n". They are sent in this order, by
// "patchls call" and as tools of "patchls mcp", which leaves out those that it has not.
var named = []struct {
	command string
	args    map[string]any
}{
	{"view", nil},
	{"view", map[string]any{"view_range": []int{9, 10}}},
	{"read_file", nil},
	{"str_replace", map[string]any{"old_str": "one", "new_str": "1"}},
	{"str_replace", map[string]any{"old_str": "nowhere", "new_str": "1"}},
	{"str_replace", map[string]any{"old_str": "o", "new_str": "1", "dry_run": true}},
	{"edit_file", map[string]any{"old_text": "nowhere", "new_text": "1"}},
	{"insert", map[string]any{"after_line": 1, "content": "new\n"}},
	{"insert", map[string]any{"after_line": 99, "content": "new\n"}},
	{"edit_lines", map[string]any{"edits": []any{map[string]any{"start_line": 98, "end_line": 99, "content": "x\n"}}}},
	{"delete_lines", map[string]any{"start_line": 1, "end_line": 1}},
	{"apply_patch", map[string]any{"patch": "@@ -1 +1 @@\n-nowhere\n+x\n"}},
	{"apply_patch", map[string]any{"path": nil, "patch": "*** Begin Patch\n*** Update File: PATH\n@@\n-nowhere\n+x\n*** End Patch\n"}},
	{"apply_patch", map[string]any{"path": nil, "patch": "*** Begin Patch\n*** Add File: PATH.new\n+x\n*** End Patch\n"}},
	{"apply_patch", map[string]any{"patch": "@@ PATH\n-one\n+1\n", "dry_run": true}},
	{"apply_patch", map[string]any{"patch": "@@ PATH\n-nowhere\n+1\n"}},
	{"apply_patch", map[string]any{"path": nil, "patch": "*** Begin Patch\n*** PATH\n*** End Patch\n"}},
	{"view", map[string]any{"PATH": 1}},
	{"view", map[string]any{"_PATH": 1}},
	{"str_replace", map[string]any{"match": "PATH"}},
	{"edit_lines", map[string]any{"edits": []any{map[string]any{"PATH": 1}}}},
	{"edit_lines", map[string]any{"edits": []any{map[string]any{"_PATH": 1}}}},
	{"undo", map[string]any{"edit_id": "PATH"}},
	{"PATH", nil},
	{"create", map[string]any{"content": "x\n"}},
	{"write", map[string]any{"content": "one\ntwo\n"}},
	{"write_file", map[string]any{"content": "one\ntwo\nthree\n"}},
	{"text_editor", map[string]any{"action": "read"}},
	{"str_replace_editor", map[string]any{"command": "view"}},
	{"keep", nil},
	{"revert", nil},
	{"undo", nil},
	{"save", map[string]any{"path": nil, "paths": []string{"PATH"}}},
	{"list", map[string]any{"path": nil}},
	{"apply_document", nil},
}

// argumentsAbout returns the arguments as JSON, about a file.
func argumentsAbout(t *testing.T, name string, more map[string]any) string {
	t.Helper()
	a := map[string]any{"path": name}
	for key, value := range more {
		switch v := value.(type) {
		case nil:
			delete(a, key)
		case string:
			a[key] = strings.ReplaceAll(v, "PATH", strings.NewReplacer("\n", "", "\r", "").Replace(name))
		case []string:
			a[key] = []string{name}
		default:
			a[key] = v
		}
	}
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(raw), "PATH", string(quoted[1:len(quoted)-1]))
}

// TestEveryNameOnTheCommandLine: whatever a file is called, its name stays in its line in what "patchls call" and "patchls apply"
// print and in the answers of the MCP server.
func TestEveryNameOnTheCommandLine(t *testing.T) {
	liveeditor.Home(t)
	called := map[string]bool{"document": true} // which only "patchls run" sends
	for _, c := range named {
		called[c.command] = true
	}
	for i := range lsp.Commands {
		if name := lsp.Commands[i].Name; !called[name] {
			t.Errorf("no call of %s is here", name)
		}
	}
	for _, name := range chance.Sample(oneline.FileNames()) {
		t.Run(paths.OneLine(name, 30), func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, name), []byte("one\ntwo\n"), 0o600); err != nil {
				t.Skip("the file system does not allow this name:", err)
			}
			judge := func(what, said string) {
				if wrong := oneline.Misleads(said, edits.IsFit); wrong != "" {
					t.Errorf("%s: %s in %q", what, wrong, said)
				}
			}
			var lines strings.Builder
			for i, c := range named {
				a := argumentsAbout(t, name, c.args)
				command := strings.ReplaceAll(c.command, "PATH", name)
				_, out, errs := commandLine(t, "", "call", command, a, "--root", root)
				judge("call "+c.command+a, out+errs)
				tool, err := json.Marshal(command)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s,"arguments":%s}}`+"\n", i+1, tool, a)
			}
			file := strings.NewReplacer("\n", "", "\r", "").Replace(name)
			for _, hunk := range []string{"@@ -1 +1 @@\n-one\n+1\n", "@@ -1 +1 @@\n-nowhere\n+1\n", "@@ -1 +1 @@ " + file + "\n-nowhere\n+1\n", "@@ " + file + "\n-nowhere\n+1\n", "@@ " + file + "\n-1\n+1\n"} {
				_, out, errs := commandLine(t, "--- a/"+file+"\n+++ b/"+file+"\n"+hunk, "apply", "-", "--root", root)
				judge("apply", out+errs)
			}
			for _, args := range [][]string{
				{name}, {"--" + name}, {"call", "view", name}, {"call", "view", name + "=1"}, {"call", "view", "start_line=" + name}, {"call", "view", "--editor", name}, {"call", "--" + name},
				{"apply", name}, {"apply", "--root", name}, {"apply", "-", "--editor", name}, {"call", "list", "--root", name}, {"serve", "--log-level", name}, {"serve", "--log-format", name},
				{"mcp", "--tools", name}, {"setup", name}, {"doctor", "--root", name}, {"editors", name}, {"run", "--", name}, {"acp", "--", name}, {"hook", name}, {"completion", name}, {"help", name},
			} {
				_, out, errs := commandLine(t, "", args...)
				judge(fmt.Sprintf("%q", args), out+errs)
			}
			start := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
			_, out, _ := commandLine(t, start+lines.String(), "mcp", "--editor", "headless", "--root", root)
			answers := 0
			for line := range strings.Lines(out) {
				var m struct {
					Result struct {
						Content []struct{ Text string }
					}
					Error struct{ Message string }
				}
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatal(err)
				}
				for _, c := range m.Result.Content {
					answers++
					judge("mcp", c.Text)
				}
				judge("mcp", m.Error.Message)
			}
			if answers < 10 {
				t.Errorf("the MCP server gave %d answers, so the test is blind", answers)
			}
		})
	}
}
