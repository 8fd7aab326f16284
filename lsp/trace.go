package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// Tee returns rwc with everything that goes through it written to w as well:
// for each piece a line with the time, the direction ("<-" from the client) and
// the number of bytes, the bytes, and a line end. Errors of w are ignored.
func Tee(rwc io.ReadWriteCloser, w io.Writer, now func() time.Time) io.ReadWriteCloser {
	return &tee{ReadWriteCloser: rwc, w: w, now: now}
}

type tee struct {
	io.ReadWriteCloser
	now func() time.Time

	mu sync.Mutex
	w  io.Writer
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadWriteCloser.Read(p)
	t.copy("<-", p[:n])
	return n, err
}

func (t *tee) Write(p []byte) (int, error) {
	n, err := t.ReadWriteCloser.Write(p)
	t.copy("->", p[:n])
	return n, err
}

func (t *tee) copy(direction string, p []byte) {
	if len(p) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.w, "%s %s %d\n%s\n", t.now().UTC().Format("2006-01-02T15:04:05.000000Z"), direction, len(p), p)
}
