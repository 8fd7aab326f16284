package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// setTrace is $/setTrace; an unknown value turns tracing off.
func (s *server) setTrace(params []byte) error {
	var p struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.tracing.Store(p.Value == "messages" || p.Value == "verbose")
	return nil
}

// logTrace tells the client what a command did, if it asked for that. It may
// wait for the client, so it is never called on the reading goroutine.
func (s *server) logTrace(ctx context.Context, format string, args ...any) {
	if !s.tracing.Load() {
		return
	}
	err := s.conn.Notify(ctx, protocol.MethodLogTrace, &protocol.LogTraceParams{Message: fmt.Sprintf(format, args...)})
	if err != nil {
		s.log.Debug("no trace sent", "error", err)
	}
}

// Tee returns rwc, a server's end of its connection, with everything that goes
// through it written to w as well, in the form that vscode-languageclient gives its
// own trace and that viewers of such traces read. As there, "Sending" is what the
// client sends. What that form cannot hold is in lines that begin with "#", which
// those viewers pass over, so that all bytes can be had back (docs/agents.md).
//
// What is read is written down before it is handed on, and what is sent before it is
// sent, so a request stands above its answer. The first error of w is told to log,
// and ends the tracing; the connection goes on. w is used by one goroutine at a time,
// and not after Close.
func Tee(rwc io.ReadWriteCloser, w io.Writer, now func() time.Time, log *slog.Logger) io.ReadWriteCloser {
	return &tee{ReadWriteCloser: rwc, log: log, trace: newTracer(w, now)}
}

type tee struct {
	io.ReadWriteCloser
	log *slog.Logger

	mu    sync.Mutex
	trace *tracer // nil once there is to be no more of it
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadWriteCloser.Read(p)
	t.tell(func(tr *tracer) {
		tr.add(byClient, p[:n])
		if err != nil {
			tr.cut(byClient)
		}
	})
	return n, err
}

func (t *tee) Write(p []byte) (int, error) {
	t.tell(func(tr *tracer) { tr.add(byServer, p) })
	n, err := t.ReadWriteCloser.Write(p)
	if err != nil {
		t.tell(func(tr *tracer) {
			tr.remark(byServer, "unsent", fmt.Appendf(nil, "the last %d bytes: %v", len(p)-n, err))
		})
	}
	return n, err
}

// Close closes the connection. What has come of a message that is not whole is the
// end of the trace.
func (t *tee) Close() error {
	t.tell(func(tr *tracer) {
		tr.cut(byClient)
		tr.cut(byServer)
	})
	t.mu.Lock()
	t.trace = nil
	t.mu.Unlock()
	return t.ReadWriteCloser.Close()
}

func (t *tee) tell(what func(*tracer)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trace == nil {
		return
	}
	what(t.trace)
	if t.trace.err != nil {
		t.log.Error("the trace ends here", "error", t.trace.err)
		t.trace = nil
	}
}
