package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
)

func TestExecute(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	h.active = "2026-03-01T12:34:56.789Z"
	h.commands["patchls.echo"] = echo
	s, _ := w.open(h, 1)
	c := w.dial(s)
	live := c.Live()
	if live.Name != "Neovim" || live.Version != "1.2" || !live.Saves || live.Active.Nanosecond() != 789e6 || live.PID != 1 {
		t.Errorf("got %+v", live)
	}
	// An edit must not contain the escapes that encoding/json makes for HTML.
	got, err := c.Execute(w.context(), agent.Call{Command: "echo", Arguments: map[string]string{"text": "a<b>&\u2028"}})
	if want := "{\"text\":\"a<b>&\\u2028\"}"; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if got, err := c.Execute(w.context(), agent.Call{Command: "echo"}); err != nil || string(got) != "{}" {
		t.Errorf("got %s %v, want {}", got, err)
	}
	_, err = c.Execute(w.context(), agent.Call{Command: "nonsense"})
	var said *jsonrpc2.Error
	if !errors.As(err, &said) || said.Code != jsonrpc2.InvalidParams || errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v, want the server's error", err)
	}
	_, err = c.Execute(w.context(), agent.Call{Command: "echo", Arguments: make(chan int)})
	if !errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v, want that it was not sent", err)
	}
	if clients, _ := h.seen(); len(clients) != 1 || clients[0] != me.Name {
		t.Errorf("got the clients %v", clients)
	}
}

func TestExecuteAtOnce(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	h.commands["patchls.echo"] = echo
	s, _ := w.open(h, 1)
	c := w.dial(s)
	ctx := w.context()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			text := strings.Repeat(itoa(i), 1000)
			got, err := c.Execute(ctx, agent.Call{Command: "echo", Arguments: []string{text}})
			if err != nil || string(got) != `["`+text+`"]` {
				t.Errorf("call %d got %.40s %v", i, got, err)
			}
		})
	}
	all.Wait()
}

// Sent is called while the command is in flight, and not for a command that is never sent.
func TestSent(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	sent := make(chan struct{})
	h.commands["patchls.wait"] = func(context.Context, *peer, json.RawMessage) (any, error) {
		<-sent
		return "done", nil
	}
	s, _ := w.open(h, 1)
	c := w.dial(s)
	if _, err := c.Execute(w.context(), agent.Call{Command: "wait", OnSend: func() { close(sent) }}); err != nil {
		t.Error(err)
	}
	never := agent.Call{Command: "wait", Arguments: make(chan int), OnSend: func() { t.Error("it was not sent") }}
	if _, err := c.Execute(w.context(), never); !errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v, want that it was not sent", err)
	}
}

func TestChanged(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	h.commands["patchls.type"] = func(_ context.Context, p *peer, _ json.RawMessage) (any, error) {
		for range 3 {
			p.notify("patchls/changed", struct{}{})
		}
		return nil, nil
	}
	s, stop := w.open(h, 1)
	c := w.dial(s)
	if _, err := c.Execute(w.context(), agent.Call{Command: "type"}); err != nil {
		t.Fatal(err)
	}
	// The answer came after all three notifications, which are one value in the channel.
	select {
	case <-c.Changed():
	default:
		t.Error("no value")
	}
	select {
	case <-c.Changed():
		t.Error("a second value")
	default:
	}
	stop()
	select {
	case _, ok := <-c.Changed():
		if ok {
			t.Error("a value instead of the end")
		}
	case <-time.After(patience):
		t.Error("the editor is gone and the channel is open")
	}
}

// TestCancel: after a cancellation, the server's answer still decides the result.
func TestCancel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func() (any, error)
		want   string // of the answer or its error
	}{
		{"given up", func() (any, error) { return nil, jsonrpc2.NewError(-32800, "cancelled") }, "cancelled"},
		{"made all the same", func() (any, error) { return "made", nil }, `"made"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			h := newHost("Neovim")
			begun := make(chan struct{})
			h.commands["patchls.create"] = func(ctx context.Context, _ *peer, _ json.RawMessage) (any, error) {
				close(begun)
				<-ctx.Done()
				return tt.answer()
			}
			w.fake.Grace = patience
			s, _ := w.open(h, 1)
			c := w.dial(s)
			ctx, cancel := context.WithCancel(w.context())
			go func() { <-begun; cancel() }()
			got, err := c.Execute(ctx, agent.Call{Command: "create"})
			if said, ok := errors.AsType[*jsonrpc2.Error](err); ok {
				if said.Code != -32800 {
					t.Errorf("got code %d", said.Code)
				}
				got = json.RawMessage(said.Message)
			} else if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCancelBefore(t *testing.T) {
	w := newWorld(t)
	s, _ := w.open(newHost("Neovim"), 1)
	ctx, cancel := context.WithCancel(w.context())
	cancel()
	_, err := w.dial(s).Execute(ctx, agent.Call{Command: "list"})
	if !errors.Is(err, agent.ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was not sent, and why", err)
	}
}

// TestCancelIsNotHeard: Execute does not wait forever for a server that does not answer
// a cancellation, and the error says that the outcome is unknown.
func TestCancelIsNotHeard(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	begun, leave := make(chan struct{}), make(chan struct{})
	h.commands["patchls.create"] = func(context.Context, *peer, json.RawMessage) (any, error) {
		close(begun)
		<-leave
		return nil, nil
	}
	h.commands["patchls.echo"] = echo
	w.fake.Grace = 10 * time.Millisecond
	s, _ := w.open(h, 1)
	c := w.dial(s)
	ctx, cancel := context.WithCancel(w.context())
	go func() { <-begun; cancel() }()
	_, err := c.Execute(ctx, agent.Call{Command: "create"})
	if !errors.Is(err, context.Canceled) || errors.Is(err, agent.ErrNotSent) || !strings.Contains(err.Error(), "not known") {
		t.Errorf("got %v", err)
	}
	close(leave) // its answer arrives late and is dropped
	if got, err := c.Execute(w.context(), agent.Call{Command: "echo"}); err != nil || string(got) != "{}" {
		t.Errorf("got %s %v", got, err)
	}
}

func TestLost(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	h.commands["patchls.create"] = func(_ context.Context, p *peer, _ json.RawMessage) (any, error) {
		p.conn.Close()
		return nil, nil
	}
	s, _ := w.open(h, 1)
	c := w.dial(s)
	_, err := c.Execute(w.context(), agent.Call{Command: "create"})
	if !errors.Is(err, agent.ErrLost) || errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v, want that nobody knows", err)
	}
	<-c.Changed() // closed: the connection is known to be gone
	_, err = c.Execute(w.context(), agent.Call{Command: "create"})
	if !errors.Is(err, agent.ErrNotSent) || errors.Is(err, agent.ErrLost) {
		t.Errorf("got %v, want that it was not sent", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusedUnread: a server that cannot read a message answers without an id.
func TestRefusedUnread(t *testing.T) {
	w := newWorld(t)
	h, leave := newHost("Neovim"), make(chan struct{})
	h.commands["patchls.create"] = func(_ context.Context, p *peer, _ json.RawMessage) (any, error) {
		body := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too long by far"}}`
		_, err := p.conn.(io.Writer).Write([]byte("Content-Length: " + itoa(len(body)) + "\r\n\r\n" + body))
		<-leave
		return nil, err
	}
	s, _ := w.open(h, 1)
	_, err := w.dial(s).Execute(w.context(), agent.Call{Command: "create"})
	if !errors.Is(err, agent.ErrLost) || !strings.Contains(err.Error(), "too long by far") {
		t.Errorf("got %v, want what the server said", err)
	}
	close(leave)
}
