package headless

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// requests answers those of the server, and takes its notifications.
type requests struct {
	e       *Editor
	cancels sync.Map      // of those that are worked on: what cancels them, by id
	last    chan struct{} // closed when the last one that was ordered is through; nil at first
}

// handle takes everything that the server sends. It starts on the goroutine
// that reads, where only memory is touched and only short locks are taken; a
// request leaves that goroutine before it is worked on and before its answer is
// written, since the server may be writing to us at that time.
func (q *requests) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		q.notified(req.Method(), json.RawMessage(req.Params()))
		return nil, nil // an error would kill the connection
	}
	pass := func() {}
	var before chan struct{}
	if q.ordered(req.Method()) {
		mine := make(chan struct{})
		before, q.last = q.last, mine
		pass = sync.OnceFunc(func() { close(mine) })
	}
	// Not from ctx: it is recycled while the standard library still looks at it.
	rctx, cancel := context.WithCancel(q.e.base)
	q.cancels.Store(req.ID(), cancel)
	jsonrpc2.Async(ctx) // copies the method, whose bytes are the next message's then
	r := &Request{ID: req.ID(), Method: req.Method(), Pass: pass}
	defer func() {
		r.Pass()
		q.cancels.Delete(r.ID)
		cancel()
	}()
	if before != nil {
		select {
		case <-before:
		case <-q.e.base.Done():
		}
	}
	return q.answer(rctx, r, json.RawMessage(req.Params()))
}

// ordered says whether requests of this method are worked on one after the
// other. With an ApplyEditFunc they are not: it may hold one back for ever.
func (q *requests) ordered(method string) bool {
	return method == "patchls/save" || method == "workspace/applyEdit" && q.e.opts.ApplyEdit == nil
}

func (q *requests) answer(ctx context.Context, r *Request, params json.RawMessage) (any, error) {
	if handled, err := q.e.habits.Answer(ctx, r); handled {
		return nil, err
	}
	switch r.Method {
	case "workspace/applyEdit":
		return q.applyEdit(ctx, r, params)
	case "patchls/save":
		return q.save(params)
	case "workspace/configuration":
		return configuration(q.e.opts.Settings, params)
	case "workspace/workspaceFolders":
		return workspaceFolders(q.e.opts.Roots)
	case "client/registerCapability", "client/unregisterCapability":
		return nil, nil
	}
	if answer := q.e.opts.Answer; answer != nil {
		return answer(ctx, r.Method, params)
	}
	switch {
	case r.Method == "window/showMessageRequest": // no answer would mean that the user chooses none
		return nil, jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "there is no user to ask")
	case strings.HasPrefix(r.Method, "workspace/") && strings.HasSuffix(r.Method, "/refresh"):
		return nil, nil
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", r.Method)
}

func (q *requests) notified(method string, params json.RawMessage) {
	if method != "$/cancelRequest" {
		return
	}
	var p struct {
		ID int64 `json:"id"` // the server's ids are numbers
	}
	_ = json.Unmarshal(params, &p) // an id that cannot be read is that of no request
	if cancel, ok := q.cancels.Load(jsonrpc2.NewNumberID(p.ID)); ok {
		cancel.(context.CancelFunc)() //nolint:errcheck // it has no others
	}
}

// applyEdit answers workspace/applyEdit.
func (q *requests) applyEdit(ctx context.Context, r *Request, params json.RawMessage) (any, error) {
	var p ApplyEditParams
	var has struct {
		Edit json.RawMessage `json:"edit"`
	}
	err := json.Unmarshal(params, &has)
	if err == nil && has.Edit == nil {
		err = errors.New("no edit")
	}
	if err == nil {
		err = json.Unmarshal(params, &p)
	}
	if err != nil {
		return nil, badParams(r.Method, err)
	}
	p.Raw = has.Edit
	select { // a server must not ask before initialized, but one may
	case <-q.e.ready:
	case <-q.e.base.Done():
	}
	if ctx.Err() != nil { // taken back while it waited for its turn
		return nil, errCancelled
	}
	apply := func(p *ApplyEditParams) ApplyEditResult { return q.e.habits.Apply(ctx, r, p) }
	var result ApplyEditResult
	if decide := q.e.opts.ApplyEdit; decide != nil {
		result, err = decide(ctx, q.e, &p, apply)
	} else {
		result = apply(&p)
	}
	if err == nil {
		err = result.Err
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, errCancelled
	case err != nil:
		return nil, err
	case result.Raw != nil:
		return result.Raw, nil
	}
	return result, nil
}

// saveResult is the part of patchls/save's answer for one URI.
type saveResult struct {
	URI   string `json:"uri"`
	Saved bool   `json:"saved"` // disk holds the buffer's text
	Error string `json:"error,omitempty"`
}

// save answers patchls/save: {"uris":[…]} gives {"results":[…]}, one for
// each URI in its order. Nothing but these buffers is saved. Saving what was
// deleted deletes the file; saving what was renamed also deletes the old one.
func (q *requests) save(params json.RawMessage) (any, error) {
	var p struct {
		URIs []string `json:"uris"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("patchls/save", err)
	}
	results := make([]saveResult, len(p.URIs))
	for i, uri := range p.URIs {
		err := q.e.SaveAll(uri)
		results[i] = saveResult{URI: uri, Saved: err == nil || errors.Is(err, ErrNotDurable)}
		if err != nil {
			results[i].Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
		}
	}
	return map[string]any{"results": results}, nil
}

// configuration answers workspace/configuration: the settings are the section
// "patchls", and nothing else is configured.
func configuration(settings map[string]any, params json.RawMessage) (any, error) {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("workspace/configuration", err)
	}
	values := make([]any, len(p.Items))
	for i, item := range p.Items {
		if item.Section == "patchls" && settings != nil {
			values[i] = settings
		}
	}
	return values, nil
}

// badParams is the error for parameters that cannot be understood.
func badParams(method string, err error) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", method, err)
}

// errCancelled answers a request that the server took back.
var errCancelled = jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled), "the request was cancelled")
