// Package trace writes down what a client and a server say to each other, in
// a line of JSON for each message:
//
//	{"time":"2026-11-23T11:44:01.123456Z","from":"client","message":{"jsonrpc":"2.0",...}}
//
// Bytes that are no message have a line of their own, with "bytes" in place of
// "message".
package trace

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
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
	fromClient, fromServer splitter
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
	t.write("client", t.fromClient.buf, false)
	t.write("server", t.fromServer.buf, false)
	t.w = nil
	t.mu.Unlock()
	return t.ReadWriteCloser.Close()
}

func (t *tee) add(from string, s *splitter, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w != nil {
		s.add(p, func(b []byte, isMessage bool) { t.write(from, b, isMessage) })
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

// maxHeader bounds the bytes that may be a header, maxMessage those that wait for
// the rest of their message.
const (
	maxHeader  = 8 << 10
	maxMessage = 64 << 20
)

// splitter cuts what passes in one direction into messages.
type splitter struct {
	buf  []byte
	skip int // bytes to come of a message that is too long to wait for
}

// add takes bytes in and calls found with the body of each message that is whole, and
// with bytes that are no message. They are valid during the call.
func (s *splitter) add(p []byte, found func(b []byte, isMessage bool)) {
	s.buf = append(s.buf, p...)
	rest := s.buf
	for len(rest) > 0 {
		if s.skip > 0 {
			n := min(s.skip, len(rest))
			s.skip, rest = s.skip-n, rest[n:]
			continue
		}
		end := bytes.Index(rest, []byte("\r\n\r\n")) + len("\r\n\r\n")
		if end < len("\r\n\r\n") {
			if len(rest) > maxHeader {
				found(rest, false)
				rest = nil
			}
			break
		}
		length, ok := contentLength(rest[:end])
		if !ok || length > maxMessage {
			found(rest[:end], false)
			s.skip, rest = length, rest[end:]
			continue
		}
		if len(rest)-end < length {
			break
		}
		found(rest[end:end+length], true)
		rest = rest[end+length:]
	}
	s.buf = append([]byte(nil), rest...)
}

// contentLength reads the header of a message; ok is false if it is none.
func contentLength(header []byte) (n int, ok bool) {
	for line := range bytes.Lines(header) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
			return max(n, 0), err == nil && n >= 0
		}
	}
	return 0, false
}
