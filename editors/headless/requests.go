package headless

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/disk"
)

// requests answers the server's requests and receives its notifications.
type requests struct {
	e       *Editor
	cancels sync.Map      // the cancel functions of the requests being handled, by id
	last    chan struct{} // closed when the last ordered request is done; nil at first
}

// handle receives every message of the server. It starts on the goroutine that
// reads, which only touches memory and only takes short locks. Requests leave
// that goroutine before they are handled and before their answers are written,
// since the server may be writing to the editor at that time.
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
	// rctx is not derived from ctx, which is recycled while package context still uses it.
	rctx, cancel := context.WithCancel(q.e.base)
	q.cancels.Store(req.ID(), cancel)
	jsonrpc2.Async(ctx) // copies the method, since the next message reuses its bytes
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

// ordered reports whether requests of this method are handled one after the other.
// Edits are not if there is an ApplyEditFunc, which may hold one back forever.
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
	case r.Method == "window/showMessageRequest": // null would mean that the user chose none
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
	_ = json.Unmarshal(params, &p) // an unreadable id is not that of any request
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
	select { // a server must not ask before initialized, but it may happen
	case <-q.e.ready:
	case <-q.e.base.Done():
	}
	if ctx.Err() != nil { // cancelled while it waited for its turn
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

// save answers patchls/save: {"uris":[…]} gives {"results":[…]}, with one result
// per URI, in order. No other documents are saved. Saving a deleted document
// deletes its file; saving a renamed document also deletes the old file.
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
		results[i] = saveResult{URI: uri, Saved: err == nil || errors.Is(err, disk.ErrNotDurable)}
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

// badParams returns the error for parameters that cannot be decoded.
func badParams(method string, err error) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", method, err)
}

// errCancelled answers a request that the server cancelled.
var errCancelled = jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled), "the request was cancelled")
