package headless

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// TestRequests: what the editor answers to requests other than edits.
func TestRequests(t *testing.T) {
	_, s := start(t, Options{
		Roots: []string{"/tmp/a b", "/tmp/c"},
	}, nil)
	for _, test := range []struct{ method, params, want string }{
		{"workspace/configuration", `{"items":[{"section":"patchls"},{"section":"editor"},{"scopeUri":"file:///x"}]}`,
			`[null,null,null]`},
		{"workspace/workspaceFolders", `null`, `[{"uri":"file:///tmp/a%20b","name":"a b"},{"uri":"file:///tmp/c","name":"c"}]`},
		{"client/registerCapability", `{"registrations":[]}`, `null`},
		{"client/unregisterCapability", `{"unregisterations":[]}`, `null`},
		{"workspace/diagnostic/refresh", `null`, `null`},
		{"workspace/semanticTokens/refresh", `null`, `null`},
	} {
		if m := s.Call(test.method, json.RawMessage(test.params)); m.Error != nil || string(m.Result) != test.want {
			t.Errorf("%s: %+v %s", test.method, m.Error, m.Result)
		}
	}
	if m := s.Call("window/showMessageRequest", json.RawMessage(`{"type":1,"message":"?"}`)); m.Error == nil || m.Error.Code != -32803 {
		t.Errorf("a question without a user: %+v", m)
	}
	for _, method := range []string{"window/showDocument", "no/such", "workspace/refresh2", "$/what"} {
		if m := s.Call(method, json.RawMessage(`{}`)); m.Error == nil || m.Error.Code != -32601 {
			t.Errorf("%s: %+v %s", method, m.Error, m.Result)
		}
	}
	if m := s.Call("workspace/configuration", json.RawMessage(`7`)); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("bad parameters: %+v", m)
	}
}

// TestNotifications: no notification ends the connection, whether it is known and
// well formed or not.
func TestNotifications(t *testing.T) {
	e, s := start(t, Options{}, nil)
	for _, n := range [][2]string{
		{"window/logMessage", `{"type":4,"message":"100% logged"}`}, {"window/showMessage", `{"type":1,"message":"shown"}`},
		{"$/logTrace", `{"message":"traced"}`}, {"window/logMessage", `7`}, {"$/progress", `{"token":1}`},
		{"$/cancelRequest", `{"id":1}`}, {"$/cancelRequest", `null`},
		{"no/such", `{}`}, {"textDocument/publishDiagnostics", `null`},
	} {
		s.Notify(n[0], json.RawMessage(n[1]))
	}
	if err := e.Call(t.Context(), "test/barrier", nil, nil); err != nil {
		t.Fatal(err)
	}
}

type next = func(*ApplyEditParams) ApplyEditResult

// TestHookAnswers: habits can refuse, lie, fail, change the edit, and
// answer in shapes that LSP does not know.
func TestHookAnswers(t *testing.T) {
	var hook func(context.Context, *Editor, *ApplyEditParams, next) (any, error)
	e, s := start(t, Options{Habits: decides(func(ctx context.Context, e *Editor, p *ApplyEditParams, n next) (any, error) {
		return hook(ctx, e, p, n)
	})}, nil)
	b := openText(t, e, "untitled:1", "")
	edit := func() fakeserver.Message {
		return s.Call("workspace/applyEdit", map[string]any{"label": "l", "edit": map[string]any{"documentChanges": []any{
			fakeserver.TextEdits("untitled:1", b.Version(), at(0, 0, 0, 0, "x"))}}})
	}

	hook = func(context.Context, *Editor, *ApplyEditParams, next) (any, error) {
		return ApplyEditResult{FailureReason: "no"}, nil
	}
	if m := edit(); string(m.Result) != `{"applied":false,"failureReason":"no"}` {
		t.Errorf("refuse: %s", m.Result)
	}
	hook = func(context.Context, *Editor, *ApplyEditParams, next) (any, error) {
		return ApplyEditResult{Applied: true}, nil
	}
	if m := edit(); string(m.Result) != `{"applied":true}` {
		t.Errorf("lie: %s", m.Result)
	}
	hook = func(context.Context, *Editor, *ApplyEditParams, next) (any, error) {
		return json.RawMessage("null"), nil
	}
	if m := edit(); string(m.Result) != `null` {
		t.Errorf("raw: %s", m.Result)
	}
	hook = func(context.Context, *Editor, *ApplyEditParams, next) (any, error) {
		return nil, jsonrpc2.Errorf(32000, "decision to decline")
	}
	if m := edit(); m.Error == nil || m.Error.Code != 32000 {
		t.Errorf("error: %+v", m)
	}
	wantText(t, b, "")
	hook = func(_ context.Context, e *Editor, p *ApplyEditParams, n next) (any, error) {
		_ = b.Insert(0, "typed ") // makes the version of the edit outdated
		if r := n(p); r.Applied {
			t.Error("a stale edit was applied")
		}
		*p.Edit.DocumentChanges[0].TextDocument.Version++
		return n(p), nil
	}
	if m := edit(); string(m.Result) != `{"applied":true}` {
		t.Errorf("change: %s", m.Result)
	}
	wantText(t, b, "xtyped ")
}

// TestHookDrops: a request that is never answered holds up nothing else, and ends when the editor closes.
func TestHookDrops(t *testing.T) {
	held := make(chan struct{}, 2)
	e, s := start(t, Options{Habits: decides(func(ctx context.Context, _ *Editor, p *ApplyEditParams, n next) (any, error) {
		if p.Label == "drop" {
			held <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return n(p), nil
	})}, nil)
	b := openText(t, e, "untitled:1", "")
	s.Begin("workspace/applyEdit", json.RawMessage(`{"label":"drop","edit":{}}`))
	s.Begin("workspace/applyEdit", json.RawMessage(`{"label":"drop","edit":{}}`))
	<-held
	<-held
	s.Apply("", fakeserver.TextEdits("untitled:1", 1, at(0, 0, 0, 0, "x"))).MustApply(t)
	wantText(t, b, "x")
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestHookEndsWithServer: who holds a request back learns that the server died.
func TestHookEndsWithServer(t *testing.T) {
	held, ended := make(chan struct{}), make(chan struct{})
	e, s := start(t, Options{Habits: decides(func(ctx context.Context, _ *Editor, _ *ApplyEditParams, _ next) (any, error) {
		close(held)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})}, nil)
	s.Begin("workspace/applyEdit", json.RawMessage(`{"edit":{}}`))
	<-held
	_ = s.Conn.Close()
	<-ended
	<-e.Done()
}

// TestMalformed: bytes that are no message end the connection, not the editor.
func TestMalformed(t *testing.T) {
	e, s := start(t, Options{}, nil)
	s.SendBody([]byte(`{"jsonrpc":"2.0","method":`))
	<-e.Done()
	if _, err := e.Execute(t.Context(), "x", nil); !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
}
