package lsp_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// A mirror that lost a change may show the planned text by chance.
func TestDriftInTheMiddleProvesNothing(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.open(doc, "one\n")
	c.strReplace(7, "one", "two")
	m := c.request("workspace/applyEdit")
	c.change(doc, `[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":"?"}]`)
	c.change(doc, `[{"text":"two\n"}]`)
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID)
	c.wantKind(c.answer("7"), "not_settled")
}

// An unreadable message may have been a change of any document.
func TestLostMessageMarksTheDocuments(t *testing.T) {
	for name, lose := range map[string]func(c *rawClient){
		"not JSON":        func(c *rawClient) { c.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{`) },
		"not a request":   func(c *rawClient) { c.send(`{"jsonrpc":"1.0","method":"textDocument/didChange","params":{}}`) },
		"above the bound": func(c *rawClient) { c.send("%s", strings.Repeat("x", 64<<10+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := startRaw(t, lsp.Options{Bounds: map[string]int64{"max_message_bytes": 64 << 10}})
			c.initialize(t.TempDir())
			c.open(doc, "one\n")
			lose(c)
			c.wantKind(c.view(doc), "not_settled")
			c.open(doc, "one\n")
			c.wantText(doc, "     1\tone")
		})
	}
	t.Run("a request loses nothing", func(t *testing.T) {
		c := startInitialized(t, t.TempDir())
		c.open(doc, "one\n")
		c.send(`{"jsonrpc":"2.0","id":1.5,"method":"patchls/synced"}`)
		c.wantText(doc, "     1\tone")
	})
}

// The user closes the document without saving: that is no save.
func TestClosingIsNotSaving(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.open(doc, "one\n")
	c.strReplace(7, "one", "two")
	m := c.request("workspace/applyEdit")
	c.change(doc, `[{"text":"two\n"}]`)
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, doc)
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID)
	answer := c.answer("7")
	var r transaction.Result
	if err := json.Unmarshal(answer.Result, &r); err != nil {
		t.Fatalf("%v: %+v", err, answer.Error)
	}
	if f := r.Files[0]; !r.Verified || f.Open || f.Saved {
		t.Errorf("%+v", r)
	}
}

// The editor said yes and its time ran out: that is not a time-out, it may come.
func TestYesAndThenNothing(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
			return applyResult{Applied: true}, nil
		}))
	s.late = true
	s.open("a.txt")
	go func() { <-s.settles; close(s.timeUp) }()
	if f := s.fail("str_replace", oneToTwo); f.Kind != "not_settled" || !strings.Contains(f.Message, "may still come") {
		t.Errorf("%+v", f)
	}
}

func TestLaterSettingsAreLaidOnThoseOfInitialize(t *testing.T) {
	s := start(t, map[string]string{"secret/a.txt": "one\n", "b.txt": "if x:\n\tone\n"}, headless.Options{
		Settings: map[string]any{"protected_paths": []string{"secret"}},
		// The server would ask for the settings, and have the answer at any time.
		Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.Configuration = nil },
	})
	protected := func() bool {
		return s.fail("str_replace", args{"path": "secret/a.txt", "old_str": "one", "new_str": "two"}).Kind == "protected"
	}
	for _, settings := range []any{map[string]any{}, nil, map[string]any{"match": "lenient"}} {
		if err := s.Notify(context.Background(), "workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"patchls": settings}}); err != nil {
			t.Fatal(err)
		}
		if !protected() {
			t.Errorf("%v took the protection away", settings)
		}
	}
	// And match is the default of str_replace.
	if r := s.edit("str_replace", args{"path": "b.txt", "old_str": "    one", "new_str": "    two", "dry_run": true}); r.Files[0].Hunks[0].Match != "indentation" {
		t.Errorf("%+v", r)
	}
}

// A file that is open under another name is the document that is open.
func TestSameFileByALink(t *testing.T) {
	s := start(t, map[string]string{"real.txt": "one\n"}, headless.Options{})
	symlink(t, "real.txt", filepath.Join(s.root, "link.txt"))
	b := s.open("link.txt")
	if err := b.Insert(0, "unsaved "); err != nil {
		t.Fatal(err)
	}
	r := s.edit("str_replace", args{"path": "real.txt", "old_str": "unsaved one", "new_str": "two"})
	if b.Text() != "two\n" || r.Files[0].URI != b.URI() {
		t.Errorf("buffer %q, result %+v", b.Text(), r)
	}
}

// The diff of a file with a byte order mark, or with an odd name, is one that
// git takes. A name with a control character is a URI there, which only patchls takes.
func TestDiffsApplyToTheFile(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, and it is git that is asked")
	}
	for _, name := range []string{"bom.txt", "odd \"name\".txt"} {
		s := start(t, map[string]string{name: "\uFEFFone\r\ntwo\r\n"}, headless.Options{})
		r := s.edit("insert", args{"path": name, "after_line": 0, "content": "zero"})
		cmd := exec.Command(git, "apply", "--check", "-")
		cmd.Dir, cmd.Stdin = s.root, strings.NewReader(r.Diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s\n%s", name, err, out, r.Diff)
		}
	}
}
