package headless

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

func initialized(t *testing.T, opts Options) (e *Editor, sent map[string]any) {
	t.Helper()
	e, s := start(t, opts, nil)
	if err := json.Unmarshal(s.WaitFor("initialize"), &sent); err != nil {
		t.Fatal(err)
	}
	return e, sent
}

// TestInitialize does the whole handshake: the editor declares just what it supports.
func TestInitialize(t *testing.T) {
	_, sent := initialized(t, Options{Roots: []string{"/tmp/a b/"}})
	var want map[string]any
	_ = json.Unmarshal([]byte(`{
		"clientInfo": {"name": "patchls-headless"},
		"rootUri": "file:///tmp/a%20b",
		"workspaceFolders": [{"uri": "file:///tmp/a%20b", "name": "a b"}],
		"trace": "off",
		"capabilities": {
			"workspace": {
				"applyEdit": true,
				"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"],
					"failureHandling": "transactional", "normalizesLineEndings": false},
				"executeCommand": {}, "workspaceFolders": true, "configuration": true
			},
			"textDocument": {"synchronization": {"didSave": true}},
			"general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
			"experimental": {"patchls": {"save": true}}
		}}`), &want)
	want["processId"] = float64(os.Getpid())
	if !reflect.DeepEqual(sent, want) {
		got, _ := json.MarshalIndent(sent, "", " ")
		t.Errorf("sent %s", got)
	}
}

func TestInitializeOfHabits(t *testing.T) {
	_, sent := initialized(t, Options{
		Habits: tells(func(p *protocol.InitializeParams) {
			p.ClientInfo = protocol.ClientInfo{Name: "Neovim", Version: protocol.NewOptional("0.12")}
			p.Capabilities.Workspace.ApplyEdit, p.Capabilities.General = nil, nil
		}),
	})
	raw, _ := json.Marshal(sent)
	for _, part := range []string{`"clientInfo":{"name":"Neovim","version":"0.12"}`, `"rootUri":null`, `"workspaceFolders":null`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("no %s in %s", part, raw)
		}
	}
	for _, part := range []string{"applyEdit", "positionEncodings", "initializationOptions"} {
		if strings.Contains(string(raw), part) {
			t.Errorf("%s in %s", part, raw)
		}
	}
}

// TestStartContext: the context is the handshake's, not the session's.
func TestStartContext(t *testing.T) {
	s, pipe := fakeserver.New(t)
	go s.Run()
	ctx, cancel := context.WithCancel(t.Context())
	e, err := Start(ctx, pipe, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	openText(t, e, "untitled:1", "")
	s.Apply("", fakeserver.TextEdits("untitled:1", 1, at(0, 0, 0, 0, "x"))).MustApply(t)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	<-s.Done
}

// TestServer: the editor takes the encoding that the server chose.
func TestServer(t *testing.T) {
	for name, want := range map[string]text.Encoding{"utf-8": text.UTF8, "utf-16": text.UTF16, "utf-32": text.UTF32, "": text.UTF16} {
		e, _ := start(t, Options{Habits: encodings("utf-8", "utf-32")}, func(s *fakeserver.Server) { s.Encoding = name })
		if e.encoding != want {
			t.Errorf("%q: %v", name, e.encoding)
		}
	}
}
