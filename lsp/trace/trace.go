// Package trace writes down what a client and a server say to each other, in
// a line of JSON for each message:
//
//	{"time":"2026-11-23T11:44:01.123456Z","from":"client","message":{"jsonrpc":"2.0",...}}
//
// Bytes that are no message have a line of their own, with "bytes" in place of
// "message".
package trace

import (
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/patchls/patchls/internal/framing"
)

// Tee returns rwc, a server's end of its connection, with everything that goes
// through it written to w as well. What is read is written down before it is
// handed on, and what is sent before it is sent, so a request stands above its
// answer. The first error of w is told to log, and ends the trace; the connection
// goes on. w is used by one goroutine at a time, and not after Close.
func Tee(rwc io.ReadWriteCloser, w io.Writer, now func() time.Time, log *slog.Logger) io.ReadWriteCloser {
	return &tee{ReadWriteCloser: rwc, w: w, now: now, log: log}
}

type tee struct {
	io.ReadWriteCloser
	now func() time.Time
	log *slog.Logger

	mu                     sync.Mutex
	w                      io.Writer // nil once the trace has ended
	fromClient, fromServer framing.Splitter
}

// entry is a line of a trace.
type entry struct {
	Time    string          `json:"time"`
	From    string          `json:"from"`
	Message json.RawMessage `json:"message,omitempty"`
	Bytes   string          `json:"bytes,omitempty"`
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadWriteCloser.Read(p)
	t.add("client", &t.fromClient, p[:n])
	return n, err
}

func (t *tee) Write(p []byte) (int, error) {
	t.add("server", &t.fromServer, p)
	return t.ReadWriteCloser.Write(p)
}

// Close closes the connection. What has come of a message that is not whole is the
// end of the trace.
func (t *tee) Close() error {
	t.mu.Lock()
	t.write("client", t.fromClient.Rest(), false)
	t.write("server", t.fromServer.Rest(), false)
	t.w = nil
	t.mu.Unlock()
	return t.ReadWriteCloser.Close()
}

func (t *tee) add(from string, s *framing.Splitter, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w != nil {
		s.Add(p, func(b []byte, isMessage bool) { t.write(from, b, isMessage) })
	}
}

// write writes a line. It needs the lock.
func (t *tee) write(from string, b []byte, isMessage bool) {
	if t.w == nil || len(b) == 0 {
		return
	}
	e := entry{Time: t.now().UTC().Format("2006-01-02T15:04:05.000000Z"), From: from}
	if isMessage && json.Valid(b) {
		e.Message = b
	} else {
		e.Bytes = string(b)
	}
	enc := json.NewEncoder(t.w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.log.Error("the trace ends here", "error", err)
		t.w = nil
	}
}
