package lsp_test

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"testing"
)

// watchedPipe returns the two ends of a connection for a test. Whatever the server
// at ours sends is held against the rules of check, and the test fails if one is
// broken.
func watchedPipe(t *testing.T) (ours, theirs net.Conn, check *wireCheck) {
	t.Helper()
	ours, theirs = net.Pipe()
	check = newWireCheck()
	meta := newMetaCheck()
	t.Cleanup(func() {
		for _, fault := range check.found() {
			t.Errorf("on the wire: %s", fault)
		}
		for _, fault := range meta.found() {
			t.Errorf("against LSP's meta-model: %s", fault)
		}
	})
	return &watchedConn{Conn: ours, check: check, meta: meta}, theirs, check
}

// watchedConn shows what passes to a check, in the server's order: what it sends
// before it is out, what it takes in before it can act on it.
type watchedConn struct {
	net.Conn
	check     *wireCheck
	meta      *metaCheck
	sent, got wireFrames
}

func (c *watchedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.got.add(b[:n], func(body []byte) { c.check.received(body); c.meta.received(body) }, c.check.lost)
	return n, err
}

func (c *watchedConn) Write(b []byte) (int, error) {
	c.sent.add(b, func(body []byte) { c.check.sent(body); c.meta.sent(body) }, func() { c.check.fault(noHazard, "a header that cannot be read: %q", b) })
	return c.Conn.Write(b)
}

// wireFrames divides a stream into messages. After a header that cannot be read nothing
// more can be read from the stream.
type wireFrames struct {
	rest   []byte
	broken bool
}

func (f *wireFrames) add(b []byte, message func(body []byte), broken func()) {
	if f.broken {
		return
	}
	f.rest = append(f.rest, b...)
	for {
		head, body, ok := bytes.Cut(f.rest, []byte("\r\n\r\n"))
		if !ok {
			return
		}
		n := -1
		for line := range strings.SplitSeq(string(head), "\r\n") {
			if value, is := strings.CutPrefix(line, "Content-Length: "); is {
				if length, err := strconv.Atoi(value); err == nil {
					n = length
				}
			}
		}
		if n < 0 {
			f.broken = true
			broken()
			return
		}
		if len(body) < n {
			return
		}
		message(body[:n])
		f.rest = body[n:]
	}
}
