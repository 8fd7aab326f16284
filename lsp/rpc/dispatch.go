package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/shares"
)

// Work is the second half of a request: it runs on its own goroutine. What it returns is encoded as JSON.
type Work func(ctx context.Context) (any, error)

// Route handles one method: either Notify or Call is set. The parameters are valid until that
// returns, since the message's buffer is used again.
type Route struct {
	// Notify handles a notification on the reading goroutine. Its error is logged.
	Notify func(params []byte) error
	// Call is the first half of a request, on the reading goroutine.
	Call func(ctx context.Context, params []byte) (Work, error)
}

// Dispatcher passes the messages of one connection to their routes. Its exported fields are set before the first message.
type Dispatcher struct {
	Log    *slog.Logger
	Base   context.Context // the parent context of all requests; done when the connection ends
	Routes map[string]Route
	In     *Stream
	Most   bounds.ID             // bounds the unanswered requests
	Limits func() *bounds.Limits // returns the present bounds
	Budget *Budget
	// Shared, if set, are the shares with which large messages are read and all answers encoded.
	Shared *shares.Shares
	// Strict: every error response is sent before the next message is read, so that a peer
	// that reads no responses is throttled.
	Strict bool
	// Failed converts the error of a method to a JSON-RPC error.
	Failed func(method string, err error) error

	calls sync.Map // the cancel functions of the requests in flight, by id
	phase atomic.Int32
}

// The phases of a connection (LSP, "Server lifecycle").
const (
	Created int32 = iota // waits for initialize
	Running
	Stopped // shutdown was asked for, exit comes next
)

// Phase returns how far the peer has brought the connection.
func (d *Dispatcher) Phase() int32 { return d.phase.Load() }

// Enter sets the phase of the connection.
func (d *Dispatcher) Enter(phase int32) { d.phase.Store(phase) }

// Handle dispatches one message. It is called in wire order; params are valid until it returns (decision: own-dispatcher).
func (d *Dispatcher) Handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	method := req.Method()
	r, known := d.Routes[method]
	if !req.IsCall() {
		if err := d.notified(method, r, req.Params()); err != nil {
			d.Log.Warn("notification not understood", "method", method, "error", err)
		}
		return nil, nil
	}
	err := d.admit(method)
	release := d.In.weighed()
	if release == nil {
		var tooMuch error
		release, tooMuch = d.Weigh(len(req.Params()))
		err = cmp.Or(err, tooMuch)
	}
	defer release()
	if err == nil && (!known || r.Call == nil) {
		err = jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method %q is not supported", method)
	}
	if err != nil {
		return d.refuse(ctx, err)
	}
	// callCtx is not derived from ctx: jsonrpc2 recycles that one.
	callCtx, cancel := context.WithCancel(d.Base)
	id := req.ID()
	d.calls.Store(id, cancel)
	defer func() {
		cancel()
		d.calls.Delete(id)
	}()
	give := d.Computing(callCtx, len(req.Params()) > bounds.MinMessageBytes)
	w, err := Fenced(method, func() (Work, error) { return r.Call(callCtx, req.Params()) })
	give()
	method = strings.Clone(method) // the message's buffer is about to be used again
	if err != nil {
		return d.refuse(ctx, d.Failed(method, err))
	}
	jsonrpc2.Async(ctx) // from here on off the reading goroutine
	result, err := Fenced(method, func() (any, error) { return w(callCtx) })
	if err != nil {
		return nil, d.Failed(method, err)
	}
	defer d.Computing(callCtx, true)()
	return encodeResult(result)
}

// shareWait is how long a message or an answer waits for a share. After that it goes on without one: apply_timeout_ms does
// not bound this wait, and the commands that have the shares may read many megabytes.
const shareWait = 200 * time.Millisecond

// Computing waits for a share if there are any and one is needed, and returns a function that gives the share back.
func (d *Dispatcher) Computing(ctx context.Context, needed bool) (give func()) {
	if d.Shared == nil || !needed {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	return d.Shared.Share(ctx).Take()
}

// Weigh counts the bytes of a request until release is called. If it fails, nothing is counted.
func (d *Dispatcher) Weigh(n int) (release func(), err error) {
	release, ok := d.Budget.Hold(n, d.Limits()[bounds.MaxHeldBytes])
	if !ok {
		return func() {}, jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "with this request the server would hold %s: wait for the answers to others", d.Limits().Exceeded(bounds.MaxHeldBytes))
	}
	return release, nil
}

// refuse answers a request with an error. The second half of the request does not run.
func (d *Dispatcher) refuse(ctx context.Context, err error) (any, error) {
	if !d.Strict && !d.overloaded() {
		jsonrpc2.Async(ctx)
	}
	return nil, err
}

func (d *Dispatcher) notified(method string, r Route, params []byte) error {
	if r.Notify == nil {
		if strings.HasPrefix(method, "$/") {
			return nil // LSP: such a notification may be ignored
		}
		return errors.New("not supported")
	}
	if d.Phase() != Running && method != protocol.MethodExit {
		return nil
	}
	_, err := Fenced(method, func() (any, error) { return nil, r.Notify(params) })
	return err
}

// admit returns an error if a request cannot be accepted in the connection's present state.
func (d *Dispatcher) admit(method string) error {
	switch state := d.Phase(); {
	case state == Created && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server waits for initialize")
	case state == Running && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was called before")
	case state == Stopped:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down")
	case d.overloaded() && method != protocol.MethodShutdown:
		return jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "%d requests are not answered, %s: wait for their answers", d.In.unanswered.Load(), d.Limits().Exceeded(d.Most))
	}
	return nil
}

// Unanswered returns how many requests of the peer have no answer yet.
func (s *Stream) Unanswered() int64 { return s.unanswered.Load() }

// overloaded reports whether the peer has more unanswered requests than it may, including the one that is being dispatched.
func (d *Dispatcher) overloaded() bool { return d.In.unanswered.Load() > d.Limits()[d.Most] }

// CancelRequest is $/cancelRequest. A request that is not in flight is ignored, as LSP asks.
func (d *Dispatcher) CancelRequest(params []byte) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	var number int64
	var name string
	var id jsonrpc2.ID
	switch {
	case json.Unmarshal(p.ID, &number) == nil:
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(p.ID, &name) == nil:
		id = jsonrpc2.NewStringID(name)
	default:
		return fmt.Errorf("no request has the id %s", p.ID)
	}
	known, _ := d.calls.Load(id)
	if cancel, ok := known.(context.CancelFunc); ok {
		cancel()
	}
	return nil
}

// encodeResult encodes the result of a request. It leaves protocol's types to protocol's own
// encoder, which knows their unions.
func encodeResult(result any) (any, error) {
	switch result.(type) {
	case nil, protocol.InitializeResult:
		return result, nil
	}
	raw, err := plainjson.Marshal(result)
	if err != nil {
		return nil, err
	}
	return jsonrpc2.RawMessage(raw), nil
}

// NewConn returns a connection that carries LSP's types over a stream.
func NewConn(in jsonrpc2.Stream) jsonrpc2.Conn {
	return jsonrpc2.NewConn(in, jsonrpc2.WithCodec(codec{}))
}

// codec encodes LSP's types with protocol's own encoder, which knows its unions.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append((*raw)[:0], data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// Budget counts the bytes of unanswered requests, and of the edits about which the user is asked: with a bound on their
// numbers alone, a few large ones could take all memory. It is shared by all connections, and safe for concurrent use.
type Budget struct {
	Freed func(n int) // called when n bytes are no longer held

	mu    sync.Mutex
	bytes int64
}

// Hold counts n bytes until release is called. ok is false if more than most would be held. A single request may be of any
// size, and a small one does not count: the large texts of an agent must not shut the user's editor out.
func (h *Budget) Hold(n int, most int64) (release func(), ok bool) {
	if n <= bounds.MinMessageBytes {
		return func() {}, true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bytes > 0 && h.bytes+int64(n) > most {
		return nil, false
	}
	h.bytes += int64(n)
	return func() {
		h.mu.Lock()
		h.bytes -= int64(n)
		h.mu.Unlock()
		h.Freed(n)
	}, true
}

// FaultError is a panic, turned into an error where it happened.
type FaultError struct {
	Method string
	Value  any
	Stack  []byte
	Call   string // the name of the command that panicked, as in the log
}

func (f *FaultError) Error() string {
	return fmt.Sprintf("internal error in %s: %v", f.Method, f.Value)
}

// Fenced calls f; a panic in it becomes a [FaultError].
func Fenced[T any](method string, f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &FaultError{Method: method, Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Client sends requests and notifications to the other end of a connection. It is safe for concurrent use.
type Client struct {
	*host.Host
	Conn jsonrpc2.Conn
}

// Call sends the client a request, and decodes the answer into result. It ends with ctx even if the client reads nothing,
// so that the request cannot be written.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	return c.CallElse(ctx, method, params, result, func() {})
}

// CallElse is [Client.Call], and calls unanswered if ctx ends first, once no part of the request is sent any more.
func (c *Client) CallElse(ctx context.Context, method string, params, result any, unanswered func()) error {
	var raw jsonrpc2.RawMessage
	done := make(chan error, 1)
	c.Go(func(context.Context) {
		_, err := c.Conn.Call(ctx, method, params, &raw)
		if done <- err; err != nil && ctx.Err() != nil {
			unanswered()
		}
	})
	select {
	case err := <-done:
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Notify sends the client a notification. It only logs an error, as after the client has left.
func (c *Client) Notify(method string, params any) {
	if err := c.Conn.Notify(c.Base, method, params); err != nil {
		c.Log.Debug("notify", "method", method, "error", err)
	}
}
