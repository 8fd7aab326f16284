package headless_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestOptions: what the options say is declared and answered, and changes are shown.
func TestOptions(t *testing.T) {
	s, pipe := fakeserver.New(t)
	go s.Run()
	var traced, changed []string
	e, err := headless.Start(t.Context(), pipe, headless.Options{
		Client:       protocol.ClientInfo{Name: "mine"},
		Encodings:    []string{"utf-16"},
		Settings:     map[string]any{"match": "exact", "deep": map[string]any{"x": 1}},
		Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.ApplyEdit = nil },
		Trace: func(dir string, m []byte) {
			if dir == "send" {
				traced = append(traced, string(m))
			}
		},
		Changed: func(_ *headless.Buffer, _ headless.Change, now headless.State, by *headless.ApplyEditParams) {
			if by == nil {
				changed = append(changed, now.Text.String())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Conn.Close(); <-s.Done })
	sent := string(s.WaitFor("initialize"))
	for _, part := range []string{`"name":"mine"`, `"positionEncodings":["utf-16"]`, `"initializationOptions":{"deep":{"x":1},"match":"exact"}`} {
		if !strings.Contains(sent, part) {
			t.Errorf("no %s in %s", part, sent)
		}
	}
	if strings.Contains(sent, "applyEdit") || !strings.Contains(traced[0], sent) {
		t.Errorf("sent %s, traced %s", sent, traced[0])
	}
	got := s.Call("workspace/configuration", json.RawMessage(`{"items":[{"section":"patchls"},{"section":"editor"},{"scopeUri":"file:///x"}]}`))
	if want := `[{"deep":{"x":1},"match":"exact"},null,null]`; string(got.Result) != want {
		t.Errorf("answered %s, want %s", got.Result, want)
	}
	b, err := e.OpenText("untitled:1", "plaintext", "")
	if err == nil {
		err = b.Insert(0, "typed")
	}
	if err != nil || !slices.Equal(changed, []string{"typed"}) {
		t.Errorf("shown %q, %v", changed, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestKill: an editor that has crashed can be closed.
func TestKill(t *testing.T) {
	s, pipe := fakeserver.New(t)
	go s.Run()
	e, err := headless.Start(t.Context(), pipe, headless.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.Kill()
	<-e.Done()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	<-s.Done
}

// TestBuffer: a buffer is found by every name of its document.
func TestBuffer(t *testing.T) {
	s, pipe := fakeserver.New(t)
	go s.Run()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := headless.Start(t.Context(), pipe, headless.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(); <-s.Done })
	b, err := e.Open("a b.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a b.txt", filepath.Join(dir, "a b.txt"), b.URI(), strings.ReplaceAll(b.URI(), "a%20b", "%61%20b")} {
		if got, ok := e.Buffer(name); !ok || got != b {
			t.Errorf("%s is not found", name)
		}
	}
	for _, name := range []string{"b.txt", "untitled:1", "a b.txt/" + "c"} {
		if _, ok := e.Buffer(name); ok {
			t.Errorf("%s is found", name)
		}
	}
}
