package agent_test

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// host stands in for lsp.Endpoint: it speaks the protocol of the socket and has commands
// that a test gives it.
type host struct {
	name, version string
	active        string
	commands      map[string]command
	readOnly      bool          // it cannot be edited
	stall         chan struct{} // if set, a command keeps all messages after it waiting until this is closed
	alive         atomic.Int64  // requests for a sign of life
	// serve, if set, replaces the whole protocol.
	serve func(ctx context.Context, conn io.ReadWriteCloser) error

	mu      sync.Mutex
	roots   []string
	changed chan struct{}
	open    []string // URIs
	unsaved []string // those of open with unsaved text
	drawn   []string // those of open that are open as a drawing
	made    []string // ids of edits
	token   string   // that agents must know
	clients []string // names, as they came
	bye     int      // shutdowns
}

// command is the function with which a host runs a command. ctx ends when the agent cancels
// or leaves; the function reports the begin through peer.
type command func(ctx context.Context, p *peer, args json.RawMessage) (any, error)

// peer is the agent at the other end.
type peer struct {
	rpc  jsonrpc2.Conn
	conn io.Closer
}

func (p *peer) notify(method string, params any) {
	_ = p.rpc.Notify(context.Background(), method, params)
}

func newHost(name string, roots ...string) *host {
	return &host{name: name, version: "1.2", roots: roots, changed: make(chan struct{}), commands: map[string]command{}}
}

func (h *host) Client() (name, version string) { return h.name, h.version }

func (h *host) Roots() (roots []string, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.roots, h.changed
}

func (h *host) setRoots(roots ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roots = roots
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *host) serveWith(f func(ctx context.Context, conn io.ReadWriteCloser) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.serve = f
}

func (h *host) Serve(ctx context.Context, conn io.ReadWriteCloser, token string) error {
	h.mu.Lock()
	h.token = token
	serve := h.serve
	h.mu.Unlock()
	defer conn.Close()
	if serve != nil {
		return serve(ctx, conn)
	}
	base, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &session{host: h, base: base, conn: conn, token: token, cancels: map[int64]context.CancelFunc{}}
	p.rpc = jsonrpc2.NewConn(jsonrpc2.NewStream(conn))
	p.rpc.Go(base, p.handle)
	select {
	case <-p.rpc.Done():
	case <-ctx.Done():
	}
	cancel()
	conn.Close()
	<-p.rpc.Done()
	return p.rpc.Err()
}

type session struct {
	host  *host
	rpc   jsonrpc2.Conn
	conn  io.Closer
	base  context.Context
	token string

	mu      sync.Mutex
	cancels map[int64]context.CancelFunc
}

func (p *session) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	params := slices.Clone(req.Params())
	switch req.Method() {
	case "initialize":
		jsonrpc2.Async(ctx)
		return p.host.greet(p.token, params)
	case "workspace/executeCommand":
		if p.host.stall != nil {
			<-p.host.stall
		}
		id, _ := req.ID().Number()
		base, cancel := context.WithCancel(p.base)
		defer cancel()
		p.mu.Lock()
		p.cancels[id] = cancel
		p.mu.Unlock()
		jsonrpc2.Async(ctx)
		return p.execute(base, params)
	case "$/cancelRequest":
		var c struct{ ID int64 }
		_ = json.Unmarshal(params, &c)
		p.mu.Lock()
		defer p.mu.Unlock()
		if cancel := p.cancels[c.ID]; cancel != nil {
			cancel()
		}
		return nil, nil
	case "shutdown":
		p.host.mu.Lock()
		p.host.bye++
		p.host.mu.Unlock()
		jsonrpc2.Async(ctx)
		return nil, nil
	case "exit":
		p.conn.Close()
		return nil, nil
	}
	if req.Method() == "ping" {
		p.host.alive.Add(1)
	}
	jsonrpc2.Async(ctx)
	return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "refused: "+req.Method())
}

func (h *host) greet(token string, params []byte) (any, error) {
	var p struct {
		ClientInfo            struct{ Name string }
		InitializationOptions struct {
			Token   string
			Changes bool
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	if p.InitializationOptions.Token != token || !p.InitializationOptions.Changes {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the token is wrong")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients = append(h.clients, p.ClientInfo.Name)
	own := map[string]any{
		"edits":  !h.readOnly,
		"client": map[string]string{"name": h.name, "version": h.version}, "active": h.active, "saves": true,
	}
	return map[string]any{
		"serverInfo":   map[string]string{"name": "patchls"},
		"capabilities": map[string]any{"experimental": map[string]any{"patchls": own}},
	}, nil
}

func (p *session) execute(ctx context.Context, params []byte) (any, error) {
	var c struct {
		Command   string
		Arguments []json.RawMessage
	}
	if err := json.Unmarshal(params, &c); err != nil || len(c.Arguments) != 1 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "a command has one argument")
	}
	if run := p.host.commands[c.Command]; run != nil {
		return run(ctx, &peer{rpc: p.rpc, conn: p.conn}, c.Arguments[0])
	}
	if c.Command == "patchls.list" {
		return p.host.list(), nil
	}
	return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "no such command: "+c.Command)
}

func (h *host) list() any {
	h.mu.Lock()
	defer h.mu.Unlock()
	docs, made := []map[string]any{}, []map[string]any{}
	for _, uri := range h.open {
		doc := map[string]any{"uri": uri, "path": filepath.Base(uri), "unsaved": slices.Contains(h.unsaved, uri)}
		if slices.Contains(h.drawn, uri) {
			doc["as"] = "a drawing"
		}
		docs = append(docs, doc)
	}
	for _, id := range h.made {
		made = append(made, map[string]any{"edit_id": id})
	}
	return map[string]any{"documents": docs, "edits": made}
}

func (h *host) seen() (clients []string, bye int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.clients), h.bye
}

// echo is a command that answers with its argument.
func echo(_ context.Context, _ *peer, args json.RawMessage) (any, error) { return args, nil }

// TestHostRefuses shows that the stand-in asks for the token.
func TestHostRefuses(t *testing.T) {
	h := newHost("Fake")
	if _, err := h.greet("right", []byte(`{"initializationOptions":{"token":"wrong","changes":true}}`)); err == nil {
		t.Error("a wrong token is let in")
	}
}
