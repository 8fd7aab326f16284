package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/disk"
)

// handle receives every message of the server. It starts on the goroutine that reads, which only touches memory and only
// takes short locks. Requests leave that goroutine before they are handled and before their answers are written, since the
// server may be writing to the editor at that time.
func (e *Editor) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		e.notified(req.Method(), json.RawMessage(req.Params()))
		return nil, nil // an error would kill the connection
	}
	pass := func() {}
	var before chan struct{}
	if method := req.Method(); method == "patchls/save" || method == "workspace/applyEdit" { // one after the other
		mine := make(chan struct{})
		before, e.last = e.last, mine
		pass = sync.OnceFunc(func() { close(mine) })
	}
	// rctx is not derived from ctx, which is recycled while package context still uses it.
	rctx, cancel := context.WithCancel(e.base)
	e.cancels.Store(req.ID(), cancel)
	jsonrpc2.Async(ctx) // copies the method, since the next message reuses its bytes
	r := &Request{ID: req.ID(), Method: req.Method(), Params: json.RawMessage(req.Params()), Pass: pass}
	defer func() {
		r.Pass()
		e.cancels.Delete(r.ID)
		cancel()
	}()
	if before != nil {
		select {
		case <-before:
		case <-e.base.Done():
		}
	}
	return e.answer(rctx, r)
}

func (e *Editor) answer(ctx context.Context, r *Request) (any, error) {
	if result, handled, err := e.habits.Answer(ctx, r); handled {
		return result, err
	}
	switch r.Method {
	case "workspace/applyEdit":
		return e.applyEdit(ctx, r)
	case "patchls/save":
		return e.saveURIs(r.Params)
	case "workspace/configuration":
		return configuration(r.Params)
	case "workspace/workspaceFolders":
		return workspaceFolders(e.opts.Roots)
	case "client/registerCapability", "client/unregisterCapability":
		return nil, nil
	}
	switch {
	case r.Method == "window/showMessageRequest": // null would mean that the user chose none
		return nil, jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "there is no user to ask")
	case strings.HasPrefix(r.Method, "workspace/") && strings.HasSuffix(r.Method, "/refresh"):
		return nil, nil
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", r.Method)
}

func (e *Editor) notified(method string, params json.RawMessage) {
	if method != "$/cancelRequest" {
		return
	}
	var p struct {
		ID int64 `json:"id"` // the server's ids are numbers
	}
	_ = json.Unmarshal(params, &p) // an unreadable id is not that of any request
	if cancel, ok := e.cancels.Load(jsonrpc2.NewNumberID(p.ID)); ok {
		cancel.(context.CancelFunc)() //nolint:errcheck // it has no others
	}
}

// applyEdit answers workspace/applyEdit.
func (e *Editor) applyEdit(ctx context.Context, r *Request) (any, error) {
	var p ApplyEditParams
	var has struct {
		Edit json.RawMessage `json:"edit"`
	}
	err := json.Unmarshal(r.Params, &has)
	if err == nil && has.Edit == nil {
		err = errors.New("no edit")
	}
	if err == nil {
		err = json.Unmarshal(r.Params, &p)
	}
	if err != nil {
		return nil, badParams(r.Method, err)
	}
	p.Raw = has.Edit
	select { // a server must not ask before initialized, but it may happen
	case <-e.ready:
	case <-e.base.Done():
	}
	if ctx.Err() != nil { // cancelled while it waited for its turn
		return nil, errCancelled
	}
	result := e.habits.Apply(ctx, r, &p)
	switch {
	case result.Err != nil && ctx.Err() != nil && errors.Is(result.Err, ctx.Err()):
		return nil, errCancelled
	case result.Err != nil:
		return nil, result.Err
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

// saveURIs answers patchls/save: {"uris":[…]} gives {"results":[…]}, with one result per URI, in order. No other documents
// are saved. Saving a deleted document deletes its file; saving a renamed document also deletes the old file.
func (e *Editor) saveURIs(params json.RawMessage) (any, error) {
	var p struct {
		URIs  []string          `json:"uris"`
		Leads map[string]string `json:"leads"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("patchls/save", err)
	}
	results := make([]saveResult, len(p.URIs))
	for i, uri := range p.URIs {
		err := e.leads(uri, p.Leads[uri])
		if err == nil {
			err = e.SaveAll(uri)
		}
		results[i] = saveResult{URI: uri, Saved: err == nil || errors.Is(err, disk.ErrNotDurable)}
		if err != nil {
			results[i].Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
		}
	}
	return map[string]any{"results": results}, nil
}

// leads returns an error if the name of a document leads elsewhere than want, "" for anywhere.
func (e *Editor) leads(uri, want string) error {
	path, isFile := pathOf(uri)
	if !isFile || want == "" {
		return nil
	}
	if now, _ := realPath(path); now != want && !(filepath.Separator == '\\' && strings.EqualFold(now, want)) { // Windows spells case in several ways
		return fmt.Errorf("save %s: its name leads elsewhere now", path)
	}
	return nil
}

// configuration answers workspace/configuration: nothing is configured.
func configuration(params json.RawMessage) (any, error) {
	var p struct {
		Items []any `json:"items"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("workspace/configuration", err)
	}
	return make([]any, len(p.Items)), nil
}

// badParams returns the error for parameters that cannot be decoded.
func badParams(method string, err error) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", method, err)
}

// errCancelled answers a request that the server cancelled.
var errCancelled = jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled), "the request was cancelled")
