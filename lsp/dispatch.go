package lsp

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/shares"
)

// work is the second half of a request: it runs on its own goroutine. What it
// returns is encoded as JSON.
type work func(ctx context.Context) (any, error)

// route says what is done with a method: one of the two is set.
type route struct {
	// notify handles a notification on the reading goroutine. Its error is logged.
	notify func(params []byte) error
	// call is the first half of a request, on the reading goroutine.
	call func(ctx context.Context, params []byte) (work, error)
}

// dispatcher gives the messages of one connection to those that they are for.
type dispatcher struct {
	log       *slog.Logger
	base      context.Context // of everything that the connection asks for; done at its end
	routes    map[string]route
	calls     calls
	lifecycle lifecycle
	in        *stream
	most      bounds.ID             // of requests that are not answered
	limits    func() *bounds.Limits // as they are set now
	held      *held
	// shared, if set, are the shares in which large messages are read and all answers written.
	shared *shares.Shares
	// strict: every error response is sent before the next message is read, so that a peer
	// that reads no responses is throttled.
	strict bool
}

// handle dispatches one message. It is called in wire order; params are valid
// until it returns (decision: own-dispatcher).
func (d *dispatcher) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	method := req.Method()
	r, known := d.routes[method]
	if !req.IsCall() {
		if err := d.notified(method, r, req.Params()); err != nil {
			d.log.Warn("notification not understood", "method", method, "error", err)
		}
		return nil, nil
	}
	err := d.admit(method)
	release := d.in.weighed()
	if release == nil {
		var tooMuch error
		if release, tooMuch = d.weigh(len(req.Params())); err == nil {
			err = tooMuch
		}
	}
	defer release()
	if err == nil && (!known || r.call == nil) {
		err = jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method %q is not supported", method)
	}
	if err != nil {
		return d.refuse(ctx, err)
	}
	// Never a context derived from ctx: jsonrpc2 recycles that one.
	callCtx, cancel := context.WithCancel(d.base)
	defer d.calls.track(req.ID(), cancel)()
	give := d.computing(callCtx, len(req.Params()) > bounds.MinMessageBytes)
	w, err := rpc.Fenced(method, func() (work, error) { return r.call(callCtx, req.Params()) })
	give()
	method = strings.Clone(method) // the message's buffer is about to be used again
	if err != nil {
		return d.refuse(ctx, d.wireError(method, err))
	}
	jsonrpc2.Async(ctx) // from here on off the reading goroutine
	result, err := rpc.Fenced(method, func() (any, error) { return w(callCtx) })
	if err != nil {
		return nil, d.wireError(method, err)
	}
	defer d.computing(callCtx, true)()
	return encodeResult(result)
}

// shareWait is how long a message or an answer waits for a share: that is not a part of what
// apply_timeout_ms bounds, and whoever has the shares may read many megabytes. It goes on
// without.
const shareWait = 200 * time.Millisecond

// computing waits for a share if there are any and one is needed, and returns what gives it
// back.
func (d *dispatcher) computing(ctx context.Context, needed bool) (give func()) {
	if d.shared == nil || !needed {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	return d.shared.Share(ctx).Take()
}

// weigh counts the bytes of a request until release is called. With an error nothing is
// counted.
func (d *dispatcher) weigh(n int) (release func(), err error) {
	release, ok := d.held.hold(n, d.limits()[bounds.MaxHeldBytes])
	if !ok {
		return func() {}, jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "with this request the server would hold %s: wait for the answers to others", d.limits().Exceeded(bounds.MaxHeldBytes))
	}
	return release, nil
}

// refuse answers a request of which nothing is done.
func (d *dispatcher) refuse(ctx context.Context, err error) (any, error) {
	if !d.strict && !d.overloaded() {
		jsonrpc2.Async(ctx)
	}
	return nil, err
}

func (d *dispatcher) notified(method string, r route, params []byte) error {
	if r.notify == nil {
		if strings.HasPrefix(method, "$/") {
			return nil // LSP: such a notification may be ignored
		}
		return errors.New("not supported")
	}
	if d.lifecycle.state() != running && method != protocol.MethodExit {
		return nil
	}
	_, err := rpc.Fenced(method, func() (any, error) { return nil, r.notify(params) })
	return err
}

// admit reports why a request cannot be taken in the server's present state.
func (d *dispatcher) admit(method string) error {
	switch state := d.lifecycle.state(); {
	case state == created && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server waits for initialize")
	case state == running && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was called before")
	case state == stopped:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down")
	case d.overloaded() && method != protocol.MethodShutdown:
		return jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "%d requests are not answered, %s: wait for their answers", d.in.unanswered.Load(), d.limits().Exceeded(d.most))
	}
	return nil
}

// overloaded reports whether the peer has asked for more than it may, with the request
// that is being dispatched.
func (d *dispatcher) overloaded() bool { return d.in.unanswered.Load() > d.limits()[d.most] }

// calls are the requests under way, by id.
type calls struct {
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelFunc
}

// track makes a request cancellable until forget is called.
func (c *calls) track(id jsonrpc2.ID, cancel context.CancelFunc) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels == nil {
		c.cancels = map[jsonrpc2.ID]context.CancelFunc{}
	}
	c.cancels[id] = cancel
	return func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.cancels, id)
	}
}

// cancel cancels a request; one that is not under way is ignored, as LSP asks.
func (c *calls) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.cancels[id]; cancel != nil {
		cancel()
	}
}

// encodeResult encodes the result of a request. protocol's types go by
// protocol's own encoder, which knows their unions.
func encodeResult(result any) (any, error) {
	switch r := result.(type) {
	case nil:
		return nil, nil
	case protocol.InitializeResult:
		return r, nil
	}
	raw, err := plainjson.Marshal(result)
	if err != nil {
		return nil, err
	}
	return jsonrpc2.RawMessage(raw), nil
}
