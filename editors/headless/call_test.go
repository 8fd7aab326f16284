package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

func unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

func TestExecute(t *testing.T) {
	e, _ := start(t, Options{}, func(s *fakeserver.Server) {
		s.Execute = func(command string, args []json.RawMessage) (any, *fakeserver.Error) {
			if command == "fail" {
				return nil, &fakeserver.Error{Code: -32803, Message: "Text not found in <f>", Data: json.RawMessage(`{"kind":"no_match"}`)}
			}
			return map[string]any{"command": command, "args": args}, nil
		}
	})
	got, err := e.Execute(t.Context(), "echo", map[string]any{"path": "a<b>&c"})
	if err != nil || string(got) != `{"args":[{"path":"a\u003cb\u003e\u0026c"}],"command":"echo"}` {
		t.Errorf("%s %v", got, err)
	}
	if got, err := e.Execute(t.Context(), "echo", nil); err != nil || string(got) != `{"args":null,"command":"echo"}` {
		t.Errorf("%s %v", got, err)
	}
	_, err = e.Execute(t.Context(), "fail", nil)
	said, ok := err.(*jsonrpc2.Error)
	if !ok || said.Code != -32803 || said.Message != "Text not found in <f>" || string(said.Data) != `{"kind":"no_match"}` {
		t.Errorf("%#v", err)
	}
	if _, err := e.Execute(t.Context(), "bad", make(chan int)); err == nil {
		t.Error("a channel was sent")
	}
}

// TestExecuteEdits: the server edits the buffer while the command runs, and the
// caller sees the result when it returns.
func TestExecuteEdits(t *testing.T) {
	var srv *fakeserver.Server
	e, _ := start(t, Options{}, func(s *fakeserver.Server) {
		srv = s
		s.Execute = func(string, []json.RawMessage) (any, *fakeserver.Error) {
			srv.Apply("", fakeserver.TextEdits("untitled:1", 1, at(0, 0, 0, 0, "x"))).MustApply(t)
			return true, nil
		}
	})
	b := openText(t, e, "untitled:1", "")
	if _, err := e.Execute(t.Context(), "edit", nil); err != nil {
		t.Fatal(err)
	}
	wantText(t, b, "x")
}

// slowPipe holds a writer of a didChange up after the server has read it.
type slowPipe struct {
	net.Conn
	gate chan struct{}
}

func (p slowPipe) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	if bytes.Contains(b, []byte("didChange")) {
		<-p.gate
	}
	return n, err
}

// TestAnswerAfterChange: an answer that rests on a change is not seen before the
// change is; a context still ends the wait.
func TestAnswerAfterChange(t *testing.T) {
	s, pipe := fakeserver.New(t)
	arrived := make(chan struct{}, 2)
	s.Execute = func(string, []json.RawMessage) (any, *fakeserver.Error) {
		arrived <- struct{}{}
		s.WaitFor("textDocument/didChange")
		return true, nil
	}
	go s.Run()
	slow := slowPipe{pipe, make(chan struct{})}
	e, err := Start(t.Context(), slow, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := openText(t, e, "untitled:1", "")
	results := make(chan error, 2)
	go func() {
		_, err := e.Execute(t.Context(), "look", nil)
		wantText(t, b, "x")
		results <- err
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	late := make(chan error)
	go func() {
		_, err := e.Execute(ctx, "look", nil)
		late <- err
	}()
	<-arrived
	<-arrived
	typed := make(chan error)
	go func() { typed <- b.Insert(0, "x") }()
	s.WaitFor("textDocument/didChange")
	time.AfterFunc(short, cancel) // the answer is there by then, or it does not matter
	if err := <-late; err != context.Canceled {
		t.Error(err)
	}
	close(slow.gate)
	if err := errors.Join(<-results, <-typed, e.Close()); err != nil {
		t.Error(err)
	}
	<-s.Done
}

// TestExecuteCancelled: the caller has its answer at once, the server is told
// which request, and what the server answers later is dropped.
func TestExecuteCancelled(t *testing.T) {
	running := make(chan struct{})
	e, s := start(t, Options{}, func(s *fakeserver.Server) {
		s.Execute = func(string, []json.RawMessage) (any, *fakeserver.Error) {
			close(running)
			return nil, nil
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	if _, err := e.Execute(ctx, "wait", nil); err != context.Canceled {
		t.Errorf("%v", err)
	}
	var p struct{ ID int }
	_ = json.Unmarshal(s.WaitFor("$/cancelRequest"), &p)
	if p.ID != 2 { // initialize was 1
		t.Errorf("cancelled %d", p.ID)
	}
	s.Send(fakeserver.Message{ID: json.RawMessage("2"), Result: json.RawMessage(`"late"`)})
	if err := e.Call(t.Context(), "test/barrier", nil, nil); err != nil {
		t.Error(err)
	}
	s.Events()
	if _, err := e.Execute(ctx, "wait", nil); err != context.Canceled {
		t.Errorf("%v", err)
	}
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	if got := s.Events(); len(got) > 1 {
		t.Errorf("a request that was cancelled before was sent: %v", got)
	}
}

// TestExecuteServerDies: a call that waits ends with the connection.
func TestExecuteServerDies(t *testing.T) {
	e, _ := start(t, Options{}, func(s *fakeserver.Server) {
		s.Execute = func(string, []json.RawMessage) (any, *fakeserver.Error) {
			_ = s.Conn.Close()
			return nil, nil
		}
	})
	b := openText(t, e, "untitled:1", "a")
	if _, err := e.Execute(t.Context(), "die", nil); !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
	<-e.Done()
	if _, err := e.Execute(t.Context(), "die", nil); !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
	if err := e.Notify(t.Context(), "x", nil); !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
	// The editor goes on.
	if err := b.Insert(1, "b"); err != nil {
		t.Error(err)
	}
	wantText(t, b, "ab")
	if err := e.Close(); !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
}

// TestCallTypes: what is JSON goes as it is, all else through encoding/json.
func TestCallTypes(t *testing.T) {
	e, s := start(t, Options{}, nil)
	type own struct {
		N     int    `json:"n,omitempty"`
		Inner []byte `json:"inner,omitempty"`
	}
	for _, test := range []struct {
		params any
		want   string
	}{
		{own{}, `{}`},
		{map[string]any{"html": "<&>"}, `{"html":"<&>"}`},
		{&protocol.ClientInfo{Name: "n"}, `{"name":"n"}`},
		{[]protocol.ClientInfo{{Name: "n"}}, `[{"name":"n"}]`},
		{json.RawMessage(`[1]`), `[1]`},
		{nil, ``},
	} {
		if err := e.Notify(t.Context(), "test/types", test.params); err != nil {
			t.Error(err)
		}
		if err := e.Call(t.Context(), "test/barrier", nil, nil); err != nil {
			t.Error(err)
		}
		if got := string(s.Params("test/types")); got != test.want {
			t.Errorf("%T was sent as %s", test.params, got)
		}
	}
	var result struct{ N int }
	var raw json.RawMessage
	if err := e.Call(t.Context(), "test/barrier", nil, &result); err != nil {
		t.Error(err)
	}
	if err := e.Call(t.Context(), "test/barrier", nil, &raw); err != nil || string(raw) != "null" {
		t.Errorf("%s %v", raw, err)
	}
	if err := e.Call(t.Context(), "no/such", nil, &raw); err == nil || err.(*jsonrpc2.Error).Code != -32601 {
		t.Errorf("%v", err)
	}
}

// TestTrace shows every message of both directions, whole.
func TestTrace(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	trace := func(dir string, m []byte) {
		var msg fakeserver.Message
		if err := json.Unmarshal(m, &msg); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, strings.TrimSpace(dir+" "+msg.Method))
	}
	e, s := startTraced(t, Options{}, nil, func(m []byte) { trace("send", m) }, func(m []byte) { trace("receive", m) })
	s.Notify("window/logMessage", map[string]any{"type": 3, "message": strings.Repeat("😀", 5000)})
	openText(t, e, "untitled:1", strings.Repeat("😀", 5000))
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(seen)
	if want := []string{"receive", "receive", "receive window/logMessage", "send initialize", "send initialized",
		"send test/barrier", "send textDocument/didOpen"}; !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
}
