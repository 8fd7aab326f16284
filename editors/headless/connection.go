package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/framing"
)

// connection is the connection to the server, with the results of the handshake.
type connection struct {
	opts   Options
	habits Habits

	pipe     *pipe
	conn     jsonrpc2.Conn
	base     context.Context // ends with the connection
	shutdown func() error    // ends the session; every call returns the first one's error

	// ready is closed when the handshake is done, or has failed. encoding is written before that and only read afterwards.
	ready    chan struct{}
	encoding text.Encoding

	// Mutex is the editor's one thread: it is held while a buffer changes and while the notification of that change is
	// written. So a message that is sent by the one who holds it does not come between the two. The goroutine that reads
	// from the server never takes it.
	sync.Mutex
}

// connect performs the handshake with the server at the other end of rwc. handle receives the server's messages.
func (c *connection) connect(ctx context.Context, rwc io.ReadWriteCloser, handle jsonrpc2.Handler) error {
	var cancel context.CancelFunc
	c.base, cancel = context.WithCancel(context.Background())
	c.pipe = &pipe{cancel: cancel, rwc: rwc, in: framing.NewReader(rwc), out: framing.NewWriter(rwc)}
	c.conn = jsonrpc2.NewConn(c.pipe, jsonrpc2.WithCodec(codec{}))
	c.shutdown = sync.OnceValue(c.end)
	c.conn.Go(c.base, handle)

	// If the server does not read, a write blocks until the pipe is closed.
	stop := context.AfterFunc(ctx, func() { _ = c.pipe.Close() })
	err := c.handshake(ctx)
	close(c.ready)
	if !stop() { // ctx ended first, so the pipe is closed even without an error
		err = ctx.Err()
	}
	if err != nil {
		_ = c.pipe.Close()
		<-c.conn.Done()
		return fmt.Errorf("initialize: %w", err)
	}
	return nil
}

// Done is closed when the connection to the server has ended, on either side.
func (c *connection) Done() <-chan struct{} { return c.base.Done() }

// Execute runs a command of the server with args as its one argument (none if args is nil) and returns the undecoded result.
// The error is a *jsonrpc2.Error if the server returned one, wraps [ErrServerGone] if the connection ended, and is ctx's
// error if ctx ended first; the server is then sent $/cancelRequest.
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

// Call sends any request and decodes the answer into result, which may be nil. Both are coded by encoding/json, which does
// not know the unions of the protocol module's types. Errors are as for [Editor.Execute].
func (c *connection) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sent, err := codec{}.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	// The call has its own goroutine, since the write blocks if the server does not
	// read, and ctx does not interrupt it. The goroutine ends with the pipe at the latest.
	answer := make(chan error, 1)
	var got json.RawMessage
	go func() {
		id, err := c.conn.Call(ctx, method, json.RawMessage(sent), &got)
		if n, ok := id.Number(); ok && err != nil && errors.Is(err, ctx.Err()) {
			_ = c.Notify(context.WithoutCancel(ctx), "$/cancelRequest", map[string]int64{"id": n})
		}
		// The answer may be based on a didChange whose text is not published yet. The lock is held from writing a didChange
		// until its text is published, so taking the lock once is enough for the caller to see that text.
		c.Lock()
		c.Unlock() //nolint:staticcheck,gocritic // see above
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

// callError returns the error of a call that failed. One that comes neither from the server nor
// from ctx means that the connection has ended; jsonrpc2 does not always close the pipe then.
func (c *connection) callError(ctx context.Context, method string, err error) error {
	var said *jsonrpc2.Error
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ctx.Err()
	case errors.As(err, &said) && said != jsonrpc2.ErrParse && said != jsonrpc2.ErrInvalidRequest:
		return said // the two excluded errors are why the connection died
	}
	_ = c.pipe.Close()
	return fmt.Errorf("%s: %w (%s)", method, ErrServerGone, err.Error())
}

// Notify sends any notification. The error wraps [ErrServerGone] when the connection has ended. ctx does not interrupt a
// write that a server does not read; Kill does.
func (c *connection) Notify(ctx context.Context, method string, params any) error {
	err := c.conn.Notify(ctx, method, params)
	if err != nil && c.base.Err() != nil {
		return fmt.Errorf("%s: %w", method, ErrServerGone)
	}
	return err
}

// Close ends the session: it sends shutdown and exit, and closes the pipe. It does not save buffers. It returns within twice
// Options.CloseTimeout even if the server hangs, and is idempotent: every call returns the first one's error. The error is
// nil if the server answered; it wraps [ErrServerGone] if the connection ended first.
func (c *connection) Close() error { return c.shutdown() }

func (c *connection) end() error {
	// ctx is not derived from c.base: a server may exit as soon as it has answered, which
	// may end c.base before Call returns the answer. A call ends with the connection anyway.
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.CloseTimeout)
	defer cancel()
	// If the server does not read, the write blocks until the pipe is closed.
	defer context.AfterFunc(ctx, func() { _ = c.pipe.Close() })()
	err := c.Call(ctx, "shutdown", nil, nil)
	if err == nil {
		_ = c.Notify(ctx, "exit", nil) // a server that has answered may have exited
	}
	late := ctx.Err() != nil
	_ = c.pipe.Close()
	select {
	case <-c.conn.Done():
	case <-time.After(c.opts.CloseTimeout): // habits of a test ignore their context
	}
	if late {
		return fmt.Errorf("shutdown: not done within %v", c.opts.CloseTimeout)
	}
	return err
}

// handshake performs initialize and initialized.
func (c *connection) handshake(ctx context.Context) error {
	p, err := c.initializeParams()
	if err != nil {
		return err
	}
	params, err := protocol.Marshal(p)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := c.Call(ctx, "initialize", json.RawMessage(params), &raw); err != nil {
		return err
	}
	var result protocol.InitializeResult
	if err := protocol.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	if c.encoding, err = chosenEncoding(result.Capabilities.PositionEncoding, p.Capabilities.General); err != nil {
		return err
	}
	return c.Notify(ctx, "initialized", struct{}{})
}

// chosenEncoding returns the encoding that the server chose, and like VS Code an error if it was
// not offered. UTF-16 is always offered (LSP 3.17, general.positionEncodings).
func chosenEncoding(name protocol.PositionEncodingKind, offers *protocol.GeneralClientCapabilities) (text.Encoding, error) {
	if name == "" || name == "utf-16" {
		return text.UTF16, nil
	}
	enc, ok := text.ParseEncoding(string(name))
	if !ok || offers == nil || !slices.Contains(offers.PositionEncodings, name) {
		return 0, fmt.Errorf("the server chose the position encoding %q, which was not offered", name)
	}
	return enc, nil
}

func (c *connection) initializeParams() (*protocol.InitializeParams, error) {
	p := &protocol.InitializeParams{
		ProcessID: new(int32(os.Getpid())), ClientInfo: protocol.ClientInfo{Name: "patchls-headless"}, Trace: protocol.TraceValueOff,
	}
	folders, err := workspaceFolders(c.opts.Roots)
	if err == nil {
		err = protocol.Unmarshal([]byte(declared), &p.Capabilities)
	}
	if err != nil {
		return nil, err
	}
	p.WorkspaceFolders = protocol.NullNullable[[]protocol.WorkspaceFolder]()
	if len(folders) > 0 {
		p.WorkspaceFolders = protocol.NewNullable(folders)
		p.RootURI = &folders[0].URI
	}
	c.habits.Initialize(p)
	return p, nil
}

func workspaceFolders(roots []string) ([]protocol.WorkspaceFolder, error) {
	var folders []protocol.WorkspaceFolder
	for _, root := range roots {
		u, err := uriOf(filepath.Clean(root))
		if err != nil {
			return nil, err
		}
		folders = append(folders, protocol.WorkspaceFolder{URI: uri.URI(u), Name: filepath.Base(root)})
	}
	return folders, nil
}

// declared are the editor's capabilities. failureHandling is transactional because files are created, renamed and deleted
// only when they are saved: no part of an applyEdit can fail once it is checked.
const declared = `{
	"workspace": {
		"applyEdit": true, "executeCommand": {}, "workspaceFolders": true, "configuration": true,
		"workspaceEdit": {
			"documentChanges": true, "resourceOperations": ["create", "rename", "delete"],
			"failureHandling": "transactional", "normalizesLineEndings": false
		}
	},
	"textDocument": {"synchronization": {"didSave": true}},
	"general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
	"experimental": {"patchls": {"save": true}}
}`

// pipe is the connection's stream of messages. It detects that the other end is closed.
//
// The editor closes the pipe, never the jsonrpc2 connection, whose Close waits for calls that a dead server will not answer.
type pipe struct {
	cancel context.CancelFunc // of base; called at the first failed read and on Close
	rwc    io.ReadWriteCloser

	in      *framing.Reader
	writing sync.Mutex
	out     *framing.Writer
}

// Read implements [jsonrpc2.Stream].
func (p *pipe) Read(context.Context) (jsonrpc2.Message, int64, error) {
	body, err := p.in.Read()
	if err != nil {
		p.cancel()
		return nil, 0, err
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	return msg, int64(len(body)), err
}

// Write implements [jsonrpc2.Stream].
func (p *pipe) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	return 0, p.out.Write(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, msg) }) // the connection does not use the length
}

// Close implements [jsonrpc2.Stream].
func (p *pipe) Close() error {
	p.cancel()
	return p.rwc.Close()
}
