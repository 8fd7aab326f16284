package headless

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// handle takes everything that the server sends. It starts on the goroutine
// that reads, where only memory is touched and only short locks are taken; a
// request leaves that goroutine before it is worked on and before its answer is
// written, since the server may be writing to us at that time.
func (e *Editor) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		e.notified(req.Method(), json.RawMessage(req.Params()))
		return nil, nil // an error would kill the connection
	}
	var wait, done func()
	if e.ordered(req.Method()) {
		wait, done = e.turns.take(e.base.Done())
	}
	// Not from ctx: it is recycled while the standard library still looks at it.
	rctx, cancel := context.WithCancel(e.base)
	e.calls.add(req.ID(), cancel)
	jsonrpc2.Async(ctx)
	defer func() {
		e.calls.remove(req.ID())
		cancel()
	}()
	r := &Request{ID: req.ID(), Method: req.Method(), Pass: func() {}}
	if done != nil {
		r.Pass = sync.OnceFunc(done)
		defer r.Pass()
		wait()
	}
	return e.answer(rctx, r, json.RawMessage(req.Params()))
}

// ordered says whether requests of this method are worked on one after the
// other. With an ApplyEditFunc they are not: it may hold one back for ever.
func (e *Editor) ordered(method string) bool {
	return method == "patchls/save" || method == "workspace/applyEdit" && e.opts.ApplyEdit == nil
}

func (e *Editor) answer(ctx context.Context, r *Request, params json.RawMessage) (any, error) {
	if handled, err := e.habits.Answer(ctx, r); handled {
		return nil, err
	}
	switch r.Method {
	case "workspace/applyEdit":
		return e.applyEdit(ctx, r, params)
	case "patchls/save":
		return e.saveURIs(params)
	case "workspace/configuration":
		return e.configuration(params)
	case "workspace/workspaceFolders":
		return e.workspaceFolders()
	case "window/showMessageRequest":
		return e.choose(ctx, params)
	case "client/registerCapability", "client/unregisterCapability":
		return nil, nil
	}
	if answer := e.opts.Answer; answer != nil {
		return answer(ctx, r.Method, params)
	}
	if strings.HasPrefix(r.Method, "workspace/") && strings.HasSuffix(r.Method, "/refresh") {
		return nil, nil
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", r.Method)
}

// notified takes a notification. Unknown ones are dropped, as LSP asks for
// those that begin with $/.
func (e *Editor) notified(method string, params json.RawMessage) {
	switch method {
	case "window/logMessage", "window/showMessage", "$/logTrace":
		var p struct {
			Type    int    `json:"type"`
			Message string `json:"message"`
		}
		if json.Unmarshal(params, &p) == nil {
			e.opts.Logf("%s", p.Message)
		}
	case "$/cancelRequest":
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(params, &p) == nil {
			e.calls.cancel(p.ID)
		}
	}
}

// choose has the user choose an action of a message. Where nobody is there it is an
// error: no answer would mean that they do not want any of them.
func (e *Editor) choose(ctx context.Context, params json.RawMessage) (any, error) {
	var p protocol.ShowMessageRequestParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("window/showMessageRequest", err)
	}
	if e.opts.Choose == nil {
		return nil, jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "nobody is there to be asked")
	}
	titles := make([]string, len(p.Actions))
	for i, a := range p.Actions {
		titles[i] = a.Title
	}
	if chosen := e.opts.Choose(ctx, p.Message, titles); chosen != "" {
		return map[string]string{"title": chosen}, nil
	}
	return nil, nil
}

// badParams is the error for parameters that cannot be understood.
func badParams(method string, err error) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", method, err)
}

// errCancelled answers a request that the server took back.
var errCancelled = jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled), "the request was cancelled")

// turns lets requests through one at a time in the order of take.
type turns struct {
	mu   sync.Mutex
	last chan struct{} // closed when the one before is through; nil at first
}

// take must be called in wire order. wait returns when the turn has come, or
// stop is closed; done ends the turn.
func (t *turns) take(stop <-chan struct{}) (wait, done func()) {
	mine := make(chan struct{})
	t.mu.Lock()
	before := t.last
	t.last = mine
	t.mu.Unlock()
	wait = func() {
		if before == nil {
			return
		}
		select {
		case <-before:
		case <-stop:
		}
	}
	return wait, func() { close(mine) }
}

// calls holds the requests of the server that are being worked on.
type calls struct {
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelFunc
}

func (c *calls) add(id jsonrpc2.ID, cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels == nil {
		c.cancels = map[jsonrpc2.ID]context.CancelFunc{}
	}
	c.cancels[id] = cancel
}

func (c *calls) remove(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cancels, id)
}

// cancel cancels the request with the id that is raw's JSON, if there is one.
func (c *calls) cancel(raw json.RawMessage) {
	c.mu.Lock()
	cancel := c.cancels[idOf(raw)]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// idOf returns the id that raw is the JSON of.
func idOf(raw json.RawMessage) (id jsonrpc2.ID) {
	var n int64
	var s string
	switch {
	case json.Unmarshal(raw, &n) == nil:
		id = jsonrpc2.NewNumberID(n)
	case json.Unmarshal(raw, &s) == nil:
		id = jsonrpc2.NewStringID(s)
	}
	return id
}
