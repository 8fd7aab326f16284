package agent_test

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/hostile"
)

// TestAnnouncedAndNotSent: a server that announces a long message gets no memory for
// what it does not send.
func TestAnnouncedAndNotSent(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	h.serve = func(_ context.Context, conn io.ReadWriteCloser) error {
		hostile.Serve(conn, []hostile.Step{
			{Verb: hostile.Answers, Body: `{"jsonrpc":"2.0","id":"ID","result":` + hostileGreeting + `}`},
			{Verb: hostile.Raw, Body: "Content-Length: 700000000\r\n\r\n{"},
		}, nil)
		return nil
	}
	s, _ := w.open(h, 1)
	var was, now runtime.MemStats
	runtime.ReadMemStats(&was)
	for range w.dial(s).Changed() { // until the connection has ended
		t.Log("a change")
	}
	runtime.ReadMemStats(&now)
	if took := now.TotalAlloc - was.TotalAlloc; took > 64<<20 {
		t.Errorf("%d bytes were taken", took)
	}
}

// TestLongAnswer comes whole.
func TestLongAnswer(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	h.commands["patchls.view"] = echo
	s, _ := w.open(h, 1)
	long := make([]byte, 5<<20)
	for i := range long {
		long[i] = 'x'
	}
	for range 2 {
		answer, err := w.dial(s).Execute(w.context(), agent.Call{Command: "view", Arguments: string(long)})
		if err != nil || len(answer) != len(long)+2 {
			t.Errorf("got %d bytes, %v", len(answer), err)
		}
	}
}
