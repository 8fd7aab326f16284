package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent/mcp"
)

// otherTool returns a program of the npm packages that make conformance installs.
func otherTool(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("PATCHLS_TEST_OTHERS")
	if folder == "" {
		t.Skip("needs npm packages: run make conformance")
	}
	return filepath.Join(folder, name)
}

// run runs a program to its end, in a folder of its own.
func run(t *testing.T, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("%s: %v", program, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// The scenarios of the official conformance runner that do not need the tools of
// its demo server. It speaks HTTP only, which patchls serves nowhere but here.
func TestOthersConformance(t *testing.T) {
	conformance := otherTool(t, "conformance")
	e, err := startEmbedded(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for _, dialect := range mcp.Dialects() {
		s, err := mcp.New(mcp.Options{Version: "test", Dialect: dialect, Connect: connectTo(mcp.Session{Editor: e, Name: "headless"})})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.SDK() }, nil))
		scenarios := []string{"tools-list"}
		if dialect == "native" { // the dialects differ in their tools alone
			scenarios = []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"}
		}
		for _, scenario := range scenarios {
			t.Run(dialect+" "+scenario, func(t *testing.T) {
				out, errs, code := run(t, conformance, "server", "--url", server.URL, "--scenario", scenario)
				if code != 0 {
					t.Errorf("exit code %d\n%s%s", code, out, errs)
				}
			})
		}
		for session := range s.SDK().Sessions() {
			_ = session.Close()
		}
		server.Close()
	}
}

// The inspector lists the tools of each dialect and calls every one of them, each in
// "patchls mcp" over stdio on a folder of its own. It checks answers against the
// schemas.
func TestOthersInspector(t *testing.T) {
	inspector := otherTool(t, "mcp-inspector")
	patchls := os.Getenv("PATCHLS_TEST_PROGRAM")
	// The arguments of a call of each tool; the inspector converts arguments that look like
	// numbers. A server that has just started has nothing for undo, keep and revert (nil): their
	// answer is an error of a tool.
	dialects := map[string]map[string][]string{
		"native": {
			"view": {"path=a.txt"}, "list": {}, "save": {}, "undo": nil, "keep": nil, "revert": nil,
			"str_replace":  {"path=a.txt", "old_str=one", "new_str=uno"},
			"insert":       {"path=a.txt", "after_line=0", "content=zero"},
			"delete_lines": {"path=a.txt", "start_line=1", "end_line=1"},
			"edit_lines":   {"path=a.txt", `edits=[{"from":1,"to":1,"content":"1"}]`},
			"apply_patch":  {"path=a.txt", "patch=@@\n-one\n+1\n two\n"},
			"create":       {"path=b.txt", "content=b"},
			"write":        {"path=a.txt", "content=uno\n"},
		},
		"claude":     {"str_replace_based_edit_tool": {"command=str_replace", "path=a.txt", "old_str=one", "new_str=uno"}},
		"codex":      {"apply_patch": {"input=*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n two\n*** End Patch\n"}},
		"agent-zero": {"text_editor": {"action=patch", "path=a.txt", "old_text=one", "new_text=uno"}},
		"smarthole": {
			"edit_file": {"path=a.txt", "old_text=one", "new_text=uno"}, "read_file": {"path=a.txt"},
			"write_file": {"path=b.txt", "content=b"},
		},
	}
	for _, dialect := range mcp.Dialects() {
		t.Run(dialect, func(t *testing.T) {
			inspect := func(args ...string) (stdout string, code int) {
				root := t.TempDir()
				if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				server := []string{"--cli", patchls, "mcp", "--editor=headless", "--root=" + root, "--dialect=" + dialect}
				if dialect == "native" {
					server = append(server, "--structured", "--review-tools")
				}
				out, errs, code := run(t, inspector, append(server, args...)...)
				if code != 0 {
					t.Logf("%v: exit code %d: %s", args, code, errs)
				}
				return out, code
			}
			out, code := inspect("--method", "tools/list")
			var list struct {
				Tools []struct{ Name string }
			}
			if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
				t.Fatalf("tools/list: %v\n%s", err, out)
			}
			var listed []string
			for _, tool := range list.Tools {
				listed = append(listed, tool.Name)
			}
			if want := slices.Sorted(maps.Keys(dialects[dialect])); !slices.Equal(listed, want) {
				t.Errorf("listed are %v, want %v", listed, want)
			}
			for _, name := range listed {
				args := []string{"--method", "tools/call", "--tool-name", name}
				for _, a := range dialects[dialect][name] {
					args = append(args, "--tool-arg", a)
				}
				out, code := inspect(args...)
				var r struct {
					IsError bool
					Content []struct{ Text string }
				}
				fails := dialects[dialect][name] == nil
				if err := json.Unmarshal([]byte(out), &r); err != nil || r.IsError != fails || (code != 0) != fails || len(r.Content) != 1 || r.Content[0].Text == "" {
					t.Errorf("%s: exit code %d, %v\n%s", name, code, err, out)
				}
			}
		})
	}
}
