package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
)

// deaf greets an agent, and then reads only one byte of what the agent sends.
func deaf(h *host, heard chan<- struct{}) func(context.Context, io.ReadWriteCloser) error {
	return func(ctx context.Context, conn io.ReadWriteCloser) error {
		stream := jsonrpc2.NewStream(conn)
		msg, _, err := stream.Read(ctx)
		if err != nil {
			return err
		}
		hello := msg.(*jsonrpc2.Call)
		answer, err := h.greet(h.token, hello.Params())
		if err != nil {
			return err
		}
		raw, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := stream.Write(ctx, jsonrpc2.NewResponse(hello.ID(), raw, nil)); err != nil {
			return err
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			return err
		}
		close(heard)
		<-ctx.Done()
		return nil
	}
}

// TestHalfWritten: a server does nothing for a message that it has received only in part,
// so the command can be sent elsewhere.
func TestHalfWritten(t *testing.T) {
	w := newWorld(t)
	h, heard := newHost("Neovim"), make(chan struct{})
	h.serve = deaf(h, heard)
	w.fake.Grace = 10 * time.Millisecond
	s, _ := w.open(h, 1)
	c := w.dial(s)
	ctx, cancel := context.WithCancel(w.context())
	done := make(chan error, 1)
	go func() {
		_, err := c.Execute(ctx, agent.Call{Command: "create", Arguments: strings.Repeat("x", 8<<20)})
		done <- err
	}()
	<-heard
	cancel()
	var err error
	select {
	case err = <-done:
	case <-time.After(patience / 2): // less than a server may take to read
		t.Fatal("Execute does not hear that it was cancelled")
	}
	if !errors.Is(err, agent.ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was not sent", err)
	}
	if _, err = c.Execute(w.context(), agent.Call{Command: "create"}); !errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v, want that the connection is gone", err)
	}
}

func TestCloseSaysGoodbye(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	s, _ := w.open(h, 1)
	c := w.dial(s)
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, bye := h.seen(); bye != 1 {
		t.Errorf("got %d shutdowns, want 1", bye)
	}
	if _, err := c.Execute(w.context(), agent.Call{Command: "list"}); !errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v", err)
	}
}

// TestCloseDoesNotHang: Close returns even if the server never answers, or if the write
// of a command blocks.
func TestCloseDoesNotHang(t *testing.T) {
	w := newWorld(t)
	h, heard := newHost("Neovim"), make(chan struct{})
	h.serve = deaf(h, heard)
	w.fake.CloseWait = 10 * time.Millisecond
	s, _ := w.open(h, 1)
	c := w.dial(s)
	stuck := make(chan error, 1)
	go func() {
		_, err := c.Execute(context.Background(), agent.Call{Command: "create", Arguments: strings.Repeat("x", 8<<20)})
		stuck <- err
	}()
	<-heard
	closed := make(chan struct{})
	go func() { c.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(patience / 2): // less than a server may take to read
		t.Fatal("Close hangs")
	}
	if err := <-stuck; !errors.Is(err, agent.ErrNotSent) {
		t.Errorf("got %v", err)
	}
}

func TestDialRefused(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	s, _ := w.open(h, 1)
	for _, tt := range []struct {
		name  string
		serve func(context.Context, io.ReadWriteCloser) error
		want  string
	}{
		{"hung up", func(context.Context, io.ReadWriteCloser) error { return nil }, "closed the connection"},
		{"another program", func(ctx context.Context, conn io.ReadWriteCloser) error {
			stream := jsonrpc2.NewStream(conn)
			msg, _, err := stream.Read(ctx)
			if err == nil {
				_, err = stream.Write(ctx, jsonrpc2.NewResponse(msg.(*jsonrpc2.Call).ID(), jsonrpc2.RawMessage(`{}`), nil))
			}
			return err
		}, "not patchls"},
		{"not a language at all", func(_ context.Context, conn io.ReadWriteCloser) error {
			_, err := io.WriteString(conn, "220 mail.example ESMTP\r\n\r\n")
			return err
		}, "closed the connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.serveWith(tt.serve)
			_, err := agent.DialOn(w.context(), w.fake, s.Entry(), me)
			w.logs.add(err)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("silent", func(t *testing.T) {
		h.serveWith(func(ctx context.Context, _ io.ReadWriteCloser) error { <-ctx.Done(); return nil })
		w.fake.Grace = time.Hour // for commands; nobody waits for the end of a greeting
		f := w.finder()
		f.Timeout = 10 * time.Millisecond
		if _, err := f.ByPID(w.context(), 1, "", agent.About{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want that time was up", err)
		}
	})
	if _, errs := w.finder().Connect(w.context(), []agent.Entry{{Socket: s.Entry().Socket}}); errs[0] == nil {
		t.Error("an entry that was not found has no token")
	}
}

// TestAServerThatHangs: an agent does not wait for ever for a server that is stopped, but as long as a command takes
// if the server still answers.
func TestAServerThatHangs(t *testing.T) {
	w := newWorld(t)
	w.fake.Check = 20 * time.Millisecond
	h := newHost("Neovim")
	slow := make(chan struct{})
	h.commands["patchls.slow"] = func(context.Context, *peer, json.RawMessage) (any, error) { <-slow; return "done", nil }
	s, _ := w.open(h, 1)
	done := make(chan error, 1)
	go func() {
		_, err := w.dial(s).Execute(w.context(), agent.Call{Command: "slow"})
		done <- err
	}()
	until(t, "three signs of life", func() bool { return h.alive.Load() >= 3 })
	close(slow)
	if err := <-done; err != nil {
		t.Errorf("a slow command: %v", err)
	}
	h.stall = make(chan struct{})
	defer close(h.stall)
	if _, err := w.dial(s).Execute(w.context(), agent.Call{Command: "slow"}); !errors.Is(err, agent.ErrLost) {
		t.Errorf("got %v, want that the editor does not answer", err)
	}
}
