// Package trace records the messages between a client and a server, one line
// of JSON for each message:
//
//	{"time":"2026-11-23T11:44:01.123456Z","from":"client","message":{"jsonrpc":"2.0",...}}
//
// What is not JSON has "bytes" in place of "message".
package trace

import (
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Trace records messages. It is safe for concurrent use.
type Trace struct {
	now func() time.Time
	log *slog.Logger

	mu sync.Mutex
	w  io.Writer // nil once the trace has ended
}

// New begins a trace that is written to w. The first error of w is written to log, and ends the
// trace.
func New(w io.Writer, now func() time.Time, log *slog.Logger) *Trace {
	return &Trace{now: now, log: log, w: w}
}

// entry is a line of a trace.
type entry struct {
	Time    string          `json:"time"`
	From    string          `json:"from"`
	Message json.RawMessage `json:"message,omitempty"`
	Bytes   string          `json:"bytes,omitempty"`
}

// Add records a message from the client or from the server, as from says.
func (t *Trace) Add(from string, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w == nil {
		return
	}
	e := entry{Time: t.now().UTC().Format("2006-01-02T15:04:05.000000Z"), From: from}
	if json.Valid(message) {
		e.Message = message
	} else {
		e.Bytes = string(message)
	}
	enc := json.NewEncoder(t.w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.log.Error("the trace ends here", "error", err)
		t.w = nil
	}
}
