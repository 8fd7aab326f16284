package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The check sees what came over the wire.
func TestTextAsItWasSent(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startInitialized(t, root)
	for _, content := range []string{`"\ud83d"`, "\"caf\xe9\"", `"x","content":"y"`} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.write","arguments":[{"path":"a.txt","content":%s}]}}`, content)
		if m := c.answer(`1`); m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, `"content" `) || !strings.Contains(string(m.Error.Data), `"invalid_params"`) {
			t.Errorf("%q: %+v", content, m)
		}
	}
}
