package lsp

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Endpoint serves agents, which connect in addition to the client. Their methods are initialize, workspace/executeCommand,
// $/cancelRequest, shutdown and exit (docs/build/socket.md). It is safe for concurrent use.
type Endpoint struct{ s *server }

// The bounds of an agent's connection that no setting changes; for the others see [bounds.All].
const (
	handshakeBytes = 64 << 10 // one message before the handshake is done
	maxAgentName   = 100      // in characters; the name is logged
)

// errRefused means that an agent did not send the token.
var errRefused = errors.New("the agent was refused")

// Client returns the name and version that the editor gives itself; both may be "".
func (d *Endpoint) Client() (name, version string) {
	c := d.s.Editor()
	return c.Name, c.Version
}

// Roots returns the workspace folders, and a channel that is closed when they change.
func (d *Endpoint) Roots() (roots []string, changed <-chan struct{}) {
	folders, changed := d.s.roots.now()
	return lists.Map(folders, func(f paths.Root) string { return f.Path }), changed
}

// Limits returns the bounds as they are set now.
func (d *Endpoint) Limits() *bounds.Limits { return d.s.Limits() }

// Window returns the name that the editor's plugin gives its process or window; "" if it gives none.
func (d *Endpoint) Window() string { return d.s.Editor().Plugin.Window }

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
			Log: d.s.Log, Base: ctx, Most: bounds.MaxAgentRequests, Limits: d.s.Limits, Budget: d.s.budget, Strict: true, Shared: d.s.allShares,
			Failed: d.s.wireError, In: rpc.NewStream(rwc, handshakeBytes, "what it may have before the token"),
		},
		server: d.s, caller: d.s.newCaller(d.s.allShares), token: token, leave: cancel,
	}
	a.requests.Routes = map[string]rpc.Route{
		protocol.MethodInitialize:              {Call: a.initialize},
		protocol.MethodShutdown:                {Call: shutdown(a.requests)},
		protocol.MethodExit:                    {Notify: func([]byte) error { a.leave(); return nil }},
		protocol.MethodCancelRequest:           {Notify: a.requests.CancelRequest},
		protocol.MethodWorkspaceExecuteCommand: {Call: a.caller.executeCommand},
	}
	in := a.requests.In
	in.OnLoss, in.OnEnd = func() {}, cancel
	in.Hold = a.requests.Weigh
	in.Arriving = func() func() { return a.arriving(ctx) }
	in.Computing = func() func() { return a.requests.Computing(ctx, true) }
	a.back = rpc.NewConn(in)
	d.s.opening.change(func(o *opening) {
		o.agents = append(o.agents, a)
		o.makeRoom(2 * d.s.Limits().Of(bounds.MaxAgents))
	})
	defer d.s.opening.change(func(o *opening) {
		o.agents = slices.DeleteFunc(o.agents, func(b *agentSession) bool { return a == b })
	})
	a.back.Go(ctx, d.s.awaited(a.handle))
	if d.s.Sleep(ctx, d.s.Limits().Wait(bounds.HelloTimeoutMS)) && a.isKnown() {
		<-ctx.Done()
	}
	cancel()
	_ = rwc.Close() // the agent has left, and no error can be reported to it
	<-a.back.Done()
	if !a.isKnown() {
		d.s.Log.Warn("an agent was refused", "reason", a.reason())
		return errRefused
	}
	return nil
}

// agentSession is an agent at the endpoint. It is a caller once it has sent the token.
type agentSession struct {
	server   *server
	caller   *caller // sends its commands
	requests *rpc.Dispatcher
	back     jsonrpc2.Conn // the connection to the agent
	token    string
	refused  atomic.Bool
	leave    func()

	last   int64 // the number of its last message among those of all agents; held by opening.mu
	leaves bool  // it is about to leave; held by opening.mu
}

// arriving closes the agent's connection if a message that has begun, and for which memory is
// held, does not arrive in time. The caller calls arrived when the message has arrived.
func (a *agentSession) arriving(ctx context.Context) (arrived func()) {
	ctx, _, arrived = a.server.Within(ctx, a.server.Limits().Wait(bounds.WriteTimeoutMS))
	a.server.Go(func(context.Context) {
		<-ctx.Done()
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			a.server.Log.Warn("an agent was closed", "name", a.caller.name, "reason", fmt.Sprintf("a message that it began did not come within write_timeout_ms (%d)", a.server.Limits().Of(bounds.WriteTimeoutMS)))
			a.leave()
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
	return fmt.Sprintf("it did not say initialize within hello_timeout_ms (%d)", a.server.Limits().Of(bounds.HelloTimeoutMS))
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

func (a *agentSession) initialize(_ context.Context, params []byte) (rpc.Work, error) {
	var p struct {
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
			Shared  bool   `json:"shared"`  // several may send commands as the actor
		} `json:"initializationOptions"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the parameters of initialize are not those of an agent")
	}
	if subtle.ConstantTimeCompare([]byte(p.InitializationOptions.Token), []byte(a.token)) != 1 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initializationOptions.token is not this server's: read it from the discovery file again")
	}
	if root := p.InitializationOptions.Root; filepath.IsAbs(root) {
		a.caller.folder, a.caller.exact = filepath.Clean(root), p.InitializationOptions.Exact
	}
	a.caller.name = paths.OneLine(p.ClientInfo.Name, maxAgentName)
	a.caller.session.Unseen, a.caller.session.Conversation = p.InitializationOptions.Unseen, &review.Conversation{}
	if who := p.InitializationOptions.Actor; who != "" {
		a.caller.setActor(who)
	}
	if p.InitializationOptions.Shared {
		a.caller.session.Ledger.Share()
	}
	a.requests.In.Named = bounds.All[bounds.MaxAgentMessageBytes].Name // this is the goroutine that reads
	a.requests.In.Bound(a.server.Limits()[bounds.MaxAgentMessageBytes])
	if !a.enter() {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%d agents wait for their answers, and one more is more than max_agents (%[1]d): wait until one has its answer", a.server.Limits().Of(bounds.MaxAgents))
	}
	a.server.Log.Info("agent", "name", a.caller.name, "version", paths.OneLine(p.ClientInfo.Version, maxAgentName))
	if p.InitializationOptions.Changes {
		a.spawnNews()
	}
	return func(context.Context) (any, error) { return a.welcome(), nil }, nil
}

// welcome is the answer to an agent's initialize.
func (a *agentSession) welcome() any {
	c := a.server.Editor()
	type info struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	return map[string]any{
		"serverInfo": info{"patchls", a.server.opts.Version},
		"capabilities": map[string]any{
			"executeCommandProvider": map[string]any{"commands": commandNames()},
			"experimental": map[string]any{"patchls": map[string]any{
				"client": info{c.Name, c.Version},
				"active": time.Unix(0, a.server.mirror.active.Load()).UTC().Format(time.RFC3339Nano),
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
	stop := a.server.docs.Changed.Listen(news)
	a.server.Go(func(ctx context.Context) {
		defer stop()
		a.server.Throttle(ctx, news, newsPause, func() (goOn bool) {
			return a.back.Notify(ctx, methodChanged, map[string]any{}) == nil
		})
	})
}

// opening is whether the agents' endpoint is open, and which agents are connected.
type opening struct {
	news chan struct{} // has a value when the plugin is to be notified of a change

	mu     sync.Mutex
	close  context.CancelFunc // nil while it is closed
	socket string             // "" while no agent can connect
	failed error              // why no agent can, nil if nothing failed
	agents []*agentSession    // which are connected, in the order in which they came
	served int64              // counts the messages of agents
}

// change makes a change, and has the plugin notified.
func (o *opening) change(f func(*opening)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f(o)
	workspace.Wake(o.news)
}

// served notes that an agent has sent a message.
func (a *agentSession) served() {
	o := &a.server.opening
	o.mu.Lock()
	defer o.mu.Unlock()
	o.served++
	a.last = o.served
}

// ownName is what patchls' commands of the user call themselves. They get in although as many agents are connected as may
// be, until twice as many are.
const ownName = "patchls"

// enter lets an agent in that has shown the token, if there is a place for it. If there is none, the agent that waits
// for no answer and whose last message is the oldest has to leave: its client makes a new connection for its next call.
func (a *agentSession) enter() bool {
	o := &a.server.opening
	o.mu.Lock()
	defer o.mu.Unlock()
	inside, most, idle := 0, a.server.Limits().Of(bounds.MaxAgents), (*agentSession)(nil)
	for _, b := range o.agents {
		if !b.isKnown() || b.leaves {
			continue
		}
		inside++
		if b.requests.In.Unanswered() == 0 && (idle == nil || b.last < idle.last) {
			idle = b
		}
	}
	switch {
	case inside < most || inside < 2*most && a.caller.name == ownName:
	case idle == nil:
		return false
	default:
		idle.leaves = true
		a.server.Log.Info("an agent made place for another one", "name", idle.caller.name)
		idle.leave()
	}
	a.requests.Enter(rpc.Running)
	workspace.Wake(o.news)
	return true
}

// makeRoom ends the connection that is the oldest of those that have not shown the token, if there are more than most. It
// leaves the newest, which is refused at initialize if all others have shown the token.
func (o *opening) makeRoom(most int) {
	stay := slices.DeleteFunc(slices.Clone(o.agents), func(a *agentSession) bool { return a.leaves })
	older := stay[:len(stay)-1]
	if i := slices.IndexFunc(older, func(a *agentSession) bool { return !a.isKnown() }); i >= 0 && len(stay) > most {
		older[i].leaves = true
		older[i].leave()
	}
}

// updateEndpoint opens or closes the agents' endpoint, as the settings say. It is called once the
// client has initialized, and whenever settings have come.
func (s *server) updateEndpoint() {
	if s.opts.Agents == nil || s.requests.Phase() != rpc.Running {
		return
	}
	if !s.settings.Load().AgentSocket {
		s.opening.change(func(o *opening) {
			if o.close != nil {
				o.close()
				o.close = nil
			}
		})
		return
	}
	s.opening.mu.Lock()
	defer s.opening.mu.Unlock()
	if s.opening.close == nil {
		ctx, cancel := context.WithCancel(s.Base)
		s.opening.close = cancel
		s.mirror.active.Store(time.Now().UnixNano())
		s.Go(func(context.Context) { s.opts.Agents(ctx, &Endpoint{s}) })
	}
}

// methodListening notifies a plugin whether agents can connect, and which are connected.
const methodListening = "patchls/listening"

// listening are the parameters of [methodListening].
type listening struct {
	Socket  string   `json:"socket,omitempty"`
	Window  string   `json:"window,omitempty"`
	Agents  []string `json:"agents"` // their names, in the order in which they came
	Problem string   `json:"problem,omitempty"`
}

// listening returns the present parameters of [methodListening].
func (s *server) listening() listening {
	s.opening.mu.Lock()
	defer s.opening.mu.Unlock()
	names := lists.FilterMap(s.opening.agents, func(a *agentSession) (string, bool) { return a.caller.name, a.isKnown() })
	said := listening{Socket: s.opening.socket, Agents: names}
	switch {
	case said.Socket != "":
		said.Window = s.Editor().Plugin.Window
	case !s.settings.Load().AgentSocket:
		said.Problem = "The setting agent_socket is false."
	case s.opening.failed != nil:
		said.Problem = s.opening.failed.Error()
	}
	return said
}

// tellListening notifies the plugin of each change of [server.listening].
func (s *server) tellListening(ctx context.Context) {
	if !s.Editor().Plugin.Listening {
		return
	}
	var told listening
	s.Throttle(ctx, s.opening.news, newsPause, func() (goOn bool) {
		if now := s.listening(); !reflect.DeepEqual(now, told) {
			told = now
			s.rpc.Notify(methodListening, now)
		}
		return true
	})
}
