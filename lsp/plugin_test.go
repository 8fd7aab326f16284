package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/workspace/paths"
)

// pluginNews is what a plugin was told, and the edits that it was sent.
type pluginNews struct {
	mu    sync.Mutex
	heard []string // in wire order: "edit", or the parameters of a notification
	init  string   // what the server offers
}

// withPlugin are the options of an editor with a plugin.
func withPlugin(n *pluginNews) headless.Options {
	return headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) {
			c.Experimental = protocol.LSPAny(`{"patchls":{"save":true,"listening":true,"edited":true,"window":"w-1"}}`)
		},
		Trace: func(dir string, raw []byte) {
			var m message
			if dir != "receive" || json.Unmarshal(raw, &m) != nil {
				return
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			switch {
			case m.Method == "workspace/applyEdit":
				n.heard = append(n.heard, "edit")
			case strings.HasPrefix(m.Method, "patchls/"):
				n.heard = append(n.heard, strings.TrimPrefix(m.Method, "patchls/")+" "+string(m.Params))
			case m.Method == "" && n.init == "":
				var r struct {
					Capabilities struct{ Experimental json.RawMessage }
				}
				_ = json.Unmarshal(m.Result, &r)
				n.init = string(r.Capabilities.Experimental)
			}
		},
	}
}

func (n *pluginNews) expect(t *testing.T, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.heard, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(n.heard, "\n"), strings.Join(want, "\n"))
	}
	n.heard = nil
}

// A plugin learns which edit it has just applied before it is sent another one, and
// which edits are gone again.
func TestAPluginIsToldOfEdits(t *testing.T) {
	var n pluginNews
	s := start(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"}, withPlugin(&n))
	if n.init != `{"patchls":{"edited":true,"listening":true,"confirm":true,"diff":true}}` {
		t.Errorf("offered %s", n.init)
	}
	s.open("a.txt")
	s.open("b.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	one := `{"uri":"` + paths.FileURI(s.path("a.txt")) + `"}`
	both := one + `,{"uri":"` + paths.FileURI(s.path("b.txt")) + `"}`
	n.expect(t, "edit", `edited {"edit_id":"e1","agent":"patchls-headless","command":"str_replace","undone":false,"files":[`+one+`]}`)
	s.edit("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"})
	n.expect(t, "edit", "edit", `edited {"edit_id":"e2","agent":"patchls-headless","command":"apply_patch","undone":false,"files":[`+both+`]}`)
	s.edit("undo", args{"edit_id": "e1"})
	n.expect(t, "edit", `edited {"edit_id":"e1","agent":"patchls-headless","command":"undo","undone":true,"files":[`+one+`]}`)
	s.fail("str_replace", args{"path": "a.txt", "old_str": "absent", "new_str": "2"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2", "dry_run": true})
	n.expect(t)
}

// The changes of a failed patch, and their removal, are reported as belonging to no edit.
func TestAPluginIsToldOfAFailedEdit(t *testing.T) {
	var n pluginNews
	opts := withPlugin(&n)
	opts.Habits = personas.Decides(func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
		if strings.HasSuffix(p.Edit.DocumentChanges[0].TextDocument.URI, "b.txt") {
			return applyResult{}, nil
		}
		return next(p), nil
	})
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, opts)
	s.open("a.txt")
	s.open("b.txt")
	s.fail("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"})
	one := `{"uri":"` + paths.FileURI(s.path("a.txt")) + `"}`
	n.expect(t, "edit", "edit", "edit", `edited {"edit_id":"","agent":"patchls-headless","command":"apply_patch","undone":true,"files":[`+one+`]}`)
}

// An editor without a plugin is sent only what it asked for.
func TestNoPluginIsToldNothing(t *testing.T) {
	var n pluginNews
	opts := withPlugin(&n)
	opts.Capabilities = nil
	s := start(t, map[string]string{"a.txt": "one\n"}, opts)
	s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "2"})
	n.expect(t, "edit")
	if n.init != "" {
		t.Errorf("offered %s", n.init)
	}
}

// A plugin knows the agent by the name that it gives itself.
func TestAPluginIsToldOfTheAgentOfAnEdit(t *testing.T) {
	var n pluginNews
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, withPlugin(&n), time.After)
	d.open("a.txt")
	agent := d.enter()
	agent.call("str_replace", `{"path":"a.txt","old_str":"one","new_str":"two"}`)
	// The answer to a request on the same wire comes after the notifications.
	if _, err := d.Execute(t.Context(), "patchls.list", args{}); err != nil {
		t.Fatal(err)
	}
	n.mu.Lock()
	n.heard = slices.DeleteFunc(n.heard, func(s string) bool { return strings.HasPrefix(s, "listening") })
	n.mu.Unlock()
	n.expect(t, "edit", `edited {"edit_id":"e1","agent":"an agent","command":"str_replace","undone":false,"files":[{"uri":"`+paths.FileURI(d.path("a.txt"))+`"}]}`)
}

// A plugin is told whether agents can connect, which are connected, and why none can.
func TestAPluginIsToldOfTheDoor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var n pluginNews
		d := startEndpoint(t, nil, withPlugin(&n), nil)
		hear := func(want string) {
			t.Helper()
			pass(time.Second)
			n.expect(t, "listening "+want)
		}
		d.endpoint.Announce("/run/1.sock", nil)
		hear(`{"socket":"/run/1.sock","window":"w-1","agents":[]}`)
		stranger := d.connect() // which does not say the token
		_ = stranger.conn.Close()
		pass(time.Second)
		n.expect(t)
		agent := d.enter()
		hear(`{"socket":"/run/1.sock","window":"w-1","agents":["an agent"]}`)
		_ = agent.conn.Close()
		hear(`{"socket":"/run/1.sock","window":"w-1","agents":[]}`)
		d.endpoint.Announce("", errors.New("the folder is another user's"))
		hear(`{"agents":[],"problem":"the folder is another user's"}`)
		if err := d.Notify(t.Context(), "workspace/didChangeConfiguration", args{"settings": args{"patchls": args{"agent_socket": false}}}); err != nil {
			t.Fatal(err)
		}
		hear(`{"agents":[],"problem":"The setting agent_socket is false."}`)
	})
}
