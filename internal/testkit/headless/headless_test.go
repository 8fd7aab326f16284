package headless_test

import (
	"encoding/json"
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
