package headless

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
)

// pipe is the connection's transport. It tells when the other end is gone, and
// shows the messages that pass.
//
// The editor closes the pipe, never the jsonrpc2 connection, whose Close waits
// for calls that a dead server will not answer.
type pipe struct {
	rwc     io.ReadWriteCloser
	ended   func() // called at the first failed read and on Close; idempotent
	trace   func(dir string, message []byte)
	written func(message []byte)

	in        frames // bytes received and not yet shown; read goroutine only
	writing   sync.Mutex
	closeOnce sync.Once
	closeErr  error
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.rwc.Read(b)
	if p.trace != nil && n > 0 {
		p.in.add(b[:n], func(m []byte) { p.trace("receive", m) })
	}
	if err != nil {
		p.ended()
	}
	return n, err
}

// Write takes one whole message at a time, as jsonrpc2 and tellText write them.
func (p *pipe) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	_, body, _ := bytes.Cut(b, []byte("\r\n\r\n"))
	if p.trace != nil {
		p.trace("send", body)
	}
	n, err := p.rwc.Write(b)
	if err == nil && p.written != nil {
		p.written(body)
	}
	return n, err
}

func (p *pipe) Close() error {
	p.closeOnce.Do(func() {
		p.ended()
		p.closeErr = p.rwc.Close()
	})
	return p.closeErr
}

// frames cuts a stream of bytes into the bodies of LSP's base protocol.
type frames struct{ rest []byte }

func (f *frames) add(b []byte, message func([]byte)) {
	f.rest = append(f.rest, b...)
	for {
		head, body, ok := bytes.Cut(f.rest, []byte("\r\n\r\n"))
		if !ok {
			return
		}
		n := contentLength(string(head))
		if len(body) < n {
			return
		}
		message(body[:n])
		f.rest = body[n:]
	}
}

// contentLength returns 0 for a header without a length; the connection itself
// refuses those.
func contentLength(head string) int {
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, _ := strconv.Atoi(strings.TrimSpace(value))
			return max(n, 0)
		}
	}
	return 0
}
