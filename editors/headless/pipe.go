package headless

import (
	"context"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/framing"
)

// pipe is the connection's stream of messages. It tells when the other end is gone, and
// shows the messages that pass.
//
// The editor closes the pipe, never the jsonrpc2 connection, whose Close waits
// for calls that a dead server will not answer.
type pipe struct {
	rwc     io.ReadWriteCloser
	ended   func() // called at the first failed read and on Close; idempotent
	trace   func(dir string, message []byte)
	written func(message []byte)

	in        *framing.Reader
	writing   sync.Mutex
	out       *framing.Writer
	closeOnce sync.Once
	closeErr  error
}

// maxMessageBytes is more than any document has as JSON.
const maxMessageBytes = 1 << 30

// Read implements [jsonrpc2.Stream].
func (p *pipe) Read(context.Context) (jsonrpc2.Message, int64, error) {
	body, err := p.in.Read(maxMessageBytes)
	if err != nil {
		p.ended()
		return nil, 0, err
	}
	if p.trace != nil {
		p.trace("receive", body)
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	return msg, int64(len(body)), err
}

// Write implements [jsonrpc2.Stream].
func (p *pipe) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	var body []byte
	err := p.out.Write(func(b []byte) []byte {
		at := len(b)
		b = jsonrpc2.AppendMessage(b, msg)
		if body = b[at:]; p.trace != nil {
			p.trace("send", body)
		}
		return b
	})
	if err == nil {
		p.written(body)
	}
	return int64(len(body)), err
}

// Close implements [jsonrpc2.Stream].
func (p *pipe) Close() error {
	p.closeOnce.Do(func() {
		p.ended()
		p.closeErr = p.rwc.Close()
	})
	return p.closeErr
}
