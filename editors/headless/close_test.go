package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

func TestClose(t *testing.T) {
	e, s := start(t, Options{}, nil)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	<-s.Done
	if got := s.Events(); !slices.Equal(got, []string{"initialize", "initialized", "shutdown", "exit"}) {
		t.Errorf("the editor sent %v", got)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// leaving is a connection whose server leaves as soon as exit is written.
type leaving struct {
	io.ReadWriteCloser
	left func()
}

func (l leaving) Write(b []byte) (int, error) {
	n, err := l.ReadWriteCloser.Write(b)
	if bytes.Contains(b, []byte(`"exit"`)) {
		l.left()
	}
	return n, err
}

// TestCloseAnswered: a server that has answered shutdown may end before the write of
// exit has returned.
func TestCloseAnswered(t *testing.T) {
	for range 20 { // which of the two is noticed first is random
		s, pipe := fakeserver.New(t)
		go s.Run()
		var e *Editor
		var err error
		e, err = Start(t.Context(), leaving{pipe, func() {
			_ = s.Conn.Close()
			<-e.Done()
		}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		<-s.Done
	}
}

// short is a CloseTimeout for servers that never answer; nothing depends on how
// long it is. (testing/synctest cannot be used: jsonrpc2 pools its channels.)
const short = 20 * time.Millisecond

// TestCloseUnanswered: a server that does not answer shutdown holds the editor
// up for CloseTimeout, and no longer.
func TestCloseUnanswered(t *testing.T) {
	e, s := start(t, Options{CloseTimeout: short}, func(s *fakeserver.Server) {
		s.Quiet = true
		s.Execute = func(string, []json.RawMessage) (any, *fakeserver.Error) { return nil, nil }
	})
	waiting := make(chan error)
	go func() {
		_, err := e.Execute(context.Background(), "wait", nil)
		waiting <- err
	}()
	s.WaitFor("workspace/executeCommand")
	began := time.Now()
	err := e.Close()
	if err == nil || !strings.Contains(err.Error(), "not done") || time.Since(began) < short {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if err := <-waiting; !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
}

// TestDeaf: a server that does not read blocks every write, and with it whatever
// types. A context still ends a call, and Close ends everything.
func TestDeaf(t *testing.T) {
	deaf := make(chan struct{})
	e, _ := start(t, Options{CloseTimeout: short}, func(s *fakeserver.Server) { s.Deaf, s.DeafTo = deaf, "test/deaf" })
	b := openText(t, e, "untitled:1", "")
	_ = e.Notify(t.Context(), "test/deaf", nil)
	typed := make(chan error)
	go func() { typed <- b.Insert(0, "x") }()
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	if _, err := e.Execute(ctx, "x", nil); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if b.Text() != "" || b.Version() != 1 {
		t.Error("a change was seen that was not sent")
	}
	if err := e.Close(); err == nil {
		t.Error("closed in peace")
	}
	if err := <-typed; err != nil || b.Text() != "x" {
		t.Errorf("%v, text %q", err, b.Text())
	}
	close(deaf)
}

// TestDeafToExit: a server that stops reading once it has answered shutdown.
func TestDeafToExit(t *testing.T) {
	deaf := make(chan struct{})
	e, _ := start(t, Options{CloseTimeout: short}, func(s *fakeserver.Server) { s.Deaf, s.DeafTo = deaf, "shutdown" })
	if err := e.Close(); err == nil {
		t.Error("closed in peace")
	}
	close(deaf)
}

// TestSeenWhenSent: a change is not seen before its didChange is written.
func TestSeenWhenSent(t *testing.T) {
	var b *Buffer
	changes := 0
	e, _ := startTraced(t, Options{}, nil, func(m []byte) {
		if strings.Contains(string(m), "didChange") {
			changes++
			if b.Version() != int32(changes) {
				t.Errorf("version %d is there before it is sent", b.Version())
			}
		}
	}, nil)
	b = openText(t, e, "untitled:1", "")
	_ = b.Insert(0, "x")
	_ = b.Replace(0, 1, "y")
	b.Undo()
	if changes != 3 {
		t.Errorf("%d changes", changes)
	}
}

func TestCloseAfterServerDied(t *testing.T) {
	e, s := start(t, Options{}, nil)
	_ = s.Conn.Close()
	if err := e.Close(); !errors.Is(err, ErrServerGone) {
		t.Errorf("%v", err)
	}
}

func TestKill(t *testing.T) {
	e, s := start(t, Options{}, nil)
	e.Kill()
	<-s.Done
	<-e.Done()
	if got := s.Events(); !slices.Equal(got, []string{"initialize", "initialized"}) {
		t.Errorf("the editor sent %v", got)
	}
	if err := e.Close(); !errors.Is(err, ErrServerGone) {
		t.Error(err)
	}
}

// TestCloseInHook: closing from inside the habits ends, although the
// connection cannot drain while the hook runs.
func TestCloseInHook(t *testing.T) {
	closed := make(chan error, 1)
	_, s := start(t, Options{CloseTimeout: short, Habits: decides(func(_ context.Context, e *Editor, _ *ApplyEditParams, _ next) (any, error) {
		closed <- e.Close()
		return ApplyEditResult{}, nil
	})}, nil)
	s.Begin("workspace/applyEdit", json.RawMessage(`{"edit":{}}`))
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestStartFails: whatever goes wrong in the handshake, Start returns and leaves
// nothing running.
func TestStartFails(t *testing.T) {
	for _, encoding := range []string{"utf-7", "utf-8"} {
		s, pipe := fakeserver.New(t)
		s.Encoding = encoding
		go s.Run()
		if _, err := Start(t.Context(), pipe, Options{Habits: encodings("utf-16")}); err == nil || !strings.Contains(err.Error(), encoding) {
			t.Errorf("%s was accepted: %v", encoding, err)
		}
		<-s.Done
	}
	t.Run("server gone", func(t *testing.T) {
		ours, theirs := net.Pipe()
		_ = ours.Close()
		if _, err := Start(t.Context(), theirs, Options{}); !errors.Is(err, ErrServerGone) {
			t.Errorf("%v", err)
		}
	})
	t.Run("server deaf", func(t *testing.T) {
		_, theirs := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		if _, err := Start(ctx, theirs, Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
	t.Run("server deaf to initialized", func(t *testing.T) {
		s, pipe := fakeserver.New(t)
		s.Deaf, s.DeafTo = make(chan struct{}), "initialize"
		go s.Run()
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		if _, err := Start(ctx, pipe, Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		close(s.Deaf)
		<-s.Done
	})
	t.Run("bad options", func(t *testing.T) {
		for _, opts := range []Options{
			{Roots: []string{"/bad\xff"}},
		} {
			_, theirs := net.Pipe()
			if _, err := Start(t.Context(), theirs, opts); err == nil {
				t.Errorf("%+v was accepted", opts)
			}
		}
	})
}
