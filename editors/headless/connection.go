package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/framing"
)

// connection is the connection to the server, and what the two have agreed on.
type connection struct {
	opts   Options
	habits Habits

	pipe     *pipe
	conn     jsonrpc2.Conn
	base     context.Context // ends with the connection
	shutdown func() error    // ends it; every call returns the first one's error
	killed   atomic.Bool

	// ready is closed when the handshake is done; the fields below are written
	// before and only read after.
	ready    chan struct{}
	server   protocol.ServerCapabilities
	encoding text.Encoding

	// mu is the editor's one thread: it is held while a buffer changes and
	// while the notification of that change is written. The goroutine that
	// reads from the server never takes it.
	mu sync.Mutex
}

// connect performs the handshake with the server at the other end of rwc, whose messages
// handle takes.
func (c *connection) connect(ctx context.Context, rwc io.ReadWriteCloser, handle jsonrpc2.Handler) error {
	var ended context.CancelFunc
	c.base, ended = context.WithCancel(context.Background())
	c.pipe = &pipe{
		rwc: rwc, in: framing.NewReader(rwc), out: framing.NewWriter(rwc),
		ended: ended, trace: c.opts.Trace, written: c.habits.Wrote,
	}
	c.conn = jsonrpc2.NewConn(c.pipe, jsonrpc2.WithCodec(codec{}))
	c.shutdown = sync.OnceValue(c.end)
	c.conn.Go(c.base, handle)

	// A server that does not read blocks the write itself, which only closing
	// ends.
	stop := context.AfterFunc(ctx, func() { _ = c.pipe.Close() })
	err := c.handshake(ctx)
	if !stop() { // the pipe is closed, whatever came of it
		err = ctx.Err()
	}
	if err != nil {
		_ = c.pipe.Close()
		<-c.conn.Done()
		return fmt.Errorf("initialize: %w", err)
	}
	close(c.ready)
	return nil
}

// Server returns what the server said that it can do, and the encoding of
// positions that it chose.
func (c *connection) Server() (protocol.ServerCapabilities, text.Encoding) {
	return c.server, c.encoding
}

// Ready is closed when the handshake is done.
func (c *connection) Ready() <-chan struct{} { return c.ready }

// Done is closed when the connection to the server has ended, on either side.
func (c *connection) Done() <-chan struct{} { return c.base.Done() }

// Lock keeps buffers from changing until Unlock. What is told the server while the editor
// is locked comes between no change and its didChange.
func (c *connection) Lock() { c.mu.Lock() }

// Unlock undoes Lock.
func (c *connection) Unlock() { c.mu.Unlock() }

// Execute runs a command of the server with args as its one argument (none if
// args is nil) and returns the result as it came. The error is a
// *jsonrpc2.Error when the server said no, wraps [ErrServerGone] when the
// connection ended, and is ctx's when that ended first; the server is then sent
// $/cancelRequest.
func (c *connection) Execute(ctx context.Context, command string, args any) (json.RawMessage, error) {
	p := struct {
		Command   string `json:"command"`
		Arguments []any  `json:"arguments,omitempty"`
	}{Command: command}
	if args != nil {
		p.Arguments = []any{args}
	}
	var result json.RawMessage
	err := c.Call(ctx, "workspace/executeCommand", p, &result)
	return result, err
}

// Call sends any request and decodes the answer into result, which may be nil. Both are
// coded by encoding/json, which does not know the unions of the protocol module's types.
// Errors are as for [Editor.Execute].
func (c *connection) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sent, err := codec{}.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	c.habits.Calling(method, sent)
	// On a goroutine of its own, since a server that does not read blocks the
	// write, where ctx does not reach. It ends at the latest with the pipe.
	answer := make(chan error, 1)
	var got json.RawMessage
	go func() {
		id, err := c.conn.Call(ctx, method, json.RawMessage(sent), &got)
		if n, ok := id.Number(); ok && err != nil && errors.Is(err, ctx.Err()) {
			_ = c.Notify(context.WithoutCancel(ctx), "$/cancelRequest", map[string]int64{"id": n})
		}
		// What the server answers may rest on a didChange that it has read already, and
		// the caller must not find the text of before: to have had the lock is all that
		// is wanted.
		c.mu.Lock()
		c.mu.Unlock() //nolint:staticcheck,gocritic // see above
		answer <- err
	}()
	select {
	case err = <-answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil {
		return c.callError(ctx, method, err)
	}
	if result == nil {
		return nil
	}
	if err := (codec{}).Unmarshal(got, result); err != nil {
		return fmt.Errorf("%s: the result: %w", method, err)
	}
	return nil
}

// callError sorts out what a call came to. What neither the server nor ctx said
// is the end of the connection, of which jsonrpc2 does not always tell the pipe.
func (c *connection) callError(ctx context.Context, method string, err error) error {
	var said *jsonrpc2.Error
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ctx.Err()
	case errors.As(err, &said) && said != jsonrpc2.ErrParse && said != jsonrpc2.ErrInvalidRequest:
		return said // those two are what the connection died of
	}
	_ = c.pipe.Close()
	return fmt.Errorf("%s: %w (%s)", method, ErrServerGone, err.Error())
}

// Notify sends any notification. The error wraps [ErrServerGone] when the
// connection has ended. ctx does not interrupt a write that a server does not
// read; Kill does.
func (c *connection) Notify(ctx context.Context, method string, params any) error {
	err := c.conn.Notify(ctx, method, params)
	if err != nil && c.base.Err() != nil {
		return fmt.Errorf("%s: %w", method, ErrServerGone)
	}
	return err
}

// Close ends the session: shutdown, exit, and the pipe is closed. Buffers that
// are not saved are not saved. It returns within twice Options.CloseTimeout
// whatever the server does, and is idempotent: every call returns the first
// one's error. The error is nil if the server answered, or if the editor was
// killed before; it wraps [ErrServerGone] if the server went away first.
func (c *connection) Close() error { return c.shutdown() }

// Kill drops the connection without a word, as an editor does that crashes. It
// does not wait; a Close after it does.
func (c *connection) Kill() {
	c.killed.Store(true)
	_ = c.pipe.Close()
}

func (c *connection) end() error {
	// Not of c.base: a server may leave as soon as it has answered, and that it did is
	// known a little later. A call ends with the connection by itself.
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.CloseTimeout)
	defer cancel()
	// A server that does not read blocks the write, which only closing ends.
	defer context.AfterFunc(ctx, func() { _ = c.pipe.Close() })()
	err := c.Call(ctx, "shutdown", nil, nil)
	if err == nil {
		_ = c.Notify(ctx, "exit", nil) // a server that has answered may be gone
	}
	late := ctx.Err() != nil
	_ = c.pipe.Close()
	select {
	case <-c.conn.Done():
	case <-time.After(c.opts.CloseTimeout): // an ApplyEditFunc does not heed its context
	}
	switch {
	case c.killed.Load():
		return nil
	case late:
		return fmt.Errorf("shutdown: not done within %v", c.opts.CloseTimeout)
	}
	return err
}
