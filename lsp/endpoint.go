package lsp

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// Endpoint serves agents, which connect in addition to the client. Their methods are initialize,
// workspace/executeCommand, $/cancelRequest, shutdown and exit (docs/agents/socket.md). It is
// safe for concurrent use.
type Endpoint struct{ s *server }

// The bounds of an agent's connection that no setting changes; for the others see
// [bounds.All].
const (
	handshakeBytes = 64 << 10 // one message before the handshake is done
	maxAgentName   = 100      // in characters; the name is logged
)

// errRefused means that an agent did not send the token.
var errRefused = errors.New("the agent was refused")

// Client returns the name and version that the editor gives itself; both may be "".
func (d *Endpoint) Client() (name, version string) {
	c := d.s.client.Load()
	return c.Name, c.Version
}

// Roots returns the workspace folders, and a channel that is closed when they change.
func (d *Endpoint) Roots() (roots []string, changed <-chan struct{}) {
	folders, changed := d.s.roots.now()
	for _, f := range folders {
		roots = append(roots, f.Path)
	}
	return roots, changed
}

// Limits returns the bounds as they are set now.
func (d *Endpoint) Limits() *bounds.Limits { return d.s.limitsNow() }

// Window returns the name that the editor's plugin gives its process or window; "" if it gives none.
func (d *Endpoint) Window() string { return d.s.client.Load().Plugin.Window }

// Announce notifies the editor's plugin where agents can connect. socket is "" if they cannot,
// and err says why if there is a reason.
func (d *Endpoint) Announce(socket string, err error) {
	d.s.opening.change(func(o *opening) { o.socket, o.failed = socket, err })
}

// Serve serves one agent until it leaves, ctx is done, or it is refused: it must send the token
// within hello_timeout_ms. Edits that were not sent to the editor by that time are not made.
// Serve closes rwc, whose Close must end a pending Read and Write.
func (d *Endpoint) Serve(ctx context.Context, rwc io.ReadWriteCloser, token string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &agentSession{
		requests: &rpc.Dispatcher{
			Log: d.s.log, Base: ctx, Most: bounds.MaxAgentRequests, Limits: d.s.limitsNow, Budget: d.s.budget, Strict: true, Shared: d.s.allShares,
			Failed: d.s.wireError, In: rpc.NewStream(rwc, handshakeBytes, "what it may have before the token"),
		},
		caller: d.s.newCaller(d.s.allShares), token: token, leave: cancel,
	}
	a.requests.Routes = map[string]rpc.Route{
		protocol.MethodInitialize:              {Call: a.initialize},
		protocol.MethodShutdown:                {Call: shutdown(a.requests)},
		protocol.MethodExit:                    {Notify: func([]byte) error { a.leave(); return nil }},
		protocol.MethodCancelRequest:           {Notify: a.requests.CancelRequest},
		protocol.MethodWorkspaceExecuteCommand: {Call: a.executeCommand},
	}
	in := a.requests.In
	in.OnLoss, in.OnEnd = func() {}, cancel
	in.Hold = a.requests.Weigh
	in.Arriving = func() func() { return a.arriving(ctx) }
	in.Computing = func() func() { return a.requests.Computing(ctx, true) }
	a.back = rpc.NewConn(in)
	d.s.opening.change(func(o *opening) { o.agents = append(o.agents, a) })
	d.s.callers.Store(a.caller, nil)
	defer d.s.callers.Delete(a.caller)
	defer d.s.opening.change(func(o *opening) {
		o.agents = slices.DeleteFunc(o.agents, func(b *agentSession) bool { return a == b })
	})
	a.back.Go(ctx, d.s.awaited(a.handle))
	select {
	case <-d.s.opts.After(d.s.limitsNow().Wait(bounds.HelloTimeoutMS)):
		if a.isKnown() {
			<-ctx.Done()
		}
	case <-ctx.Done():
	}
	cancel()
	_ = rwc.Close() // the agent has left, and no error can be reported to it
	<-a.back.Done()
	if !a.isKnown() {
		d.s.log.Warn("an agent was refused", "reason", a.reason())
		return errRefused
	}
	return nil
}

// agentSession is an agent at the endpoint. It is a caller once it has sent the token.
type agentSession struct {
	requests *rpc.Dispatcher
	back     jsonrpc2.Conn // the connection to the agent
	*caller
	token   string
	refused atomic.Bool
	leave   func()

	last   int64 // the number of its last message among those of all agents; held by opening.mu
	leaves bool  // it is about to leave; held by opening.mu
}

// arriving closes the agent's connection if a message that has begun, and for which memory is
// held, does not arrive in time. The caller calls arrived when the message has arrived.
func (a *agentSession) arriving(ctx context.Context) (arrived func()) {
	ctx, arrived = context.WithCancel(ctx)
	late := a.opts.After(a.limitsNow().Wait(bounds.WriteTimeoutMS))
	a.spawn(func(context.Context) {
		select {
		case <-late:
			if ctx.Err() == nil {
				a.log.Warn("an agent was closed", "name", a.name, "reason", fmt.Sprintf("a message that it began did not come within write_timeout_ms (%d)", a.limitsNow().Of(bounds.WriteTimeoutMS)))
				a.leave()
			}
		case <-ctx.Done():
		}
	})
	return arrived
}

func (a *agentSession) isKnown() bool { return a.requests.Phase() != rpc.Created }

// reason says why an agent was refused.
func (a *agentSession) reason() string {
	if a.refused.Load() {
		return "it did not say the token"
	}
	return fmt.Sprintf("it did not say initialize within hello_timeout_ms (%d)", a.limitsNow().Of(bounds.HelloTimeoutMS))
}

// handle dispatches a message. The first one must be initialize, with the token.
func (a *agentSession) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	a.served()
	known := a.isKnown()
	result, err := a.requests.Handle(ctx, req)
	if !known && (err != nil || !req.IsCall()) {
		a.refused.Store(true)
		a.requests.In.Finish() // once the agent has its answer
	}
	return result, err
}

// visitorParams are the parameters of an agent's initialize.
type visitorParams struct {
	ClientInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	InitializationOptions struct {
		Token   string `json:"token"`
		Changes bool   `json:"changes"` // wants patchls/changed
		Exact   bool   `json:"exact"`   // diffs of git count from root, too
		Root    string `json:"root"`    // an absolute path: where its relative paths are looked for first
		Actor   string `json:"actor"`   // who sends the commands that do not say it; "" for one that no other connection knows
		Unseen  bool   `json:"unseen"`  // the actor does not see the answers to edits
	} `json:"initializationOptions"`
}

func (a *agentSession) initialize(_ context.Context, params []byte) (rpc.Work, error) {
	var p visitorParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the parameters of initialize are not those of an agent")
	}
	if subtle.ConstantTimeCompare([]byte(p.InitializationOptions.Token), []byte(a.token)) != 1 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initializationOptions.token is not this server's: read it from the discovery file again")
	}
	if root := p.InitializationOptions.Root; filepath.IsAbs(root) {
		a.folder, a.exact = filepath.Clean(root), p.InitializationOptions.Exact
	}
	a.name = paths.OneLine(p.ClientInfo.Name, maxAgentName)
	a.session.Unseen = p.InitializationOptions.Unseen
	if who := p.InitializationOptions.Actor; who != "" {
		a.session.Ledger = a.actors.ledger(who)
	}
	a.requests.In.Named = bounds.All[bounds.MaxAgentMessageBytes].Name // this is the goroutine that reads
	a.requests.In.Bound(a.settings.Load().limits[bounds.MaxAgentMessageBytes])
	if !a.enter() {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%d agents wait for their answers, and one more is more than max_agents (%[1]d): wait until one has its answer", a.limitsNow().Of(bounds.MaxAgents))
	}
	a.log.Info("agent", "name", a.name, "version", paths.OneLine(p.ClientInfo.Version, maxAgentName))
	if p.InitializationOptions.Changes {
		a.spawnNews()
	}
	return func(context.Context) (any, error) { return a.welcome(), nil }, nil
}

// welcome is the answer to an agent's initialize.
func (a *agentSession) welcome() any {
	c := a.client.Load()
	type info struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	return map[string]any{
		"serverInfo": info{"patchls", a.opts.Version},
		"capabilities": map[string]any{
			"executeCommandProvider": map[string]any{"commands": commandNames()},
			"experimental": map[string]any{"patchls": map[string]any{
				"client": info{c.Name, c.Version},
				"active": time.Unix(0, a.mirror.active.Load()).UTC().Format(time.RFC3339Nano),
				"saves":  c.Plugin.Save,
				"edits":  c.ApplyEdit,
			}},
		},
	}
}

// methodChanged notifies an agent that documents were opened, changed or closed.
const methodChanged = "patchls/changed"

// newsPause is the least time between two notifications of one kind.
const newsPause = 100 * time.Millisecond

// spawnNews notifies the agent of changes until the agent has left.
func (a *agentSession) spawnNews() {
	news := make(chan struct{}, 1)
	stop := a.docs.Changed.Listen(news)
	a.spawn(func(ctx context.Context) {
		defer stop()
		rpc.Throttle(ctx, news, a.opts.After, newsPause, func() (goOn bool) {
			return a.back.Notify(ctx, methodChanged, map[string]any{}) == nil
		})
	})
}
