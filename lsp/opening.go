package lsp

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
)

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
	o := &a.opening
	o.mu.Lock()
	defer o.mu.Unlock()
	o.served++
	a.last = o.served
}

// ownName is what patchls' commands of the user call themselves. They get in although as many agents are connected as may be.
const ownName = "patchls"

// enter lets an agent in that has shown the token, if there is a place for it. If there is none, the agent that waits
// for no answer and whose last message is the oldest has to leave: its client makes a new connection for its next call.
func (a *agentSession) enter() bool {
	o := &a.opening
	o.mu.Lock()
	defer o.mu.Unlock()
	inside, idle := 0, (*agentSession)(nil)
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
	case inside < a.limitsNow().Of(bounds.MaxAgents) || a.name == ownName:
	case idle == nil:
		return false
	default:
		idle.leaves = true
		a.log.Info("an agent made place for another one", "name", idle.name)
		idle.leave()
	}
	a.requests.Enter(rpc.Running)
	workspace.Wake(o.news)
	return true
}

// GiveWay ends the connection that is the oldest of those that have not shown the token, and reports whether there was one.
func (d *Endpoint) GiveWay() bool {
	o := &d.s.opening
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.agents, func(a *agentSession) bool { return !a.isKnown() && !a.leaves })
	if i < 0 {
		return false
	}
	o.agents[i].leaves = true
	o.agents[i].leave()
	return true
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
		ctx, cancel := context.WithCancel(s.base)
		s.opening.close = cancel
		s.mirror.active.Store(time.Now().UnixNano())
		s.spawn(func(context.Context) { s.opts.Agents(ctx, &Endpoint{s}) })
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
	said := listening{Socket: s.opening.socket, Agents: []string{}}
	for _, a := range s.opening.agents {
		if a.isKnown() {
			said.Agents = append(said.Agents, a.name)
		}
	}
	switch {
	case said.Socket != "":
		said.Window = s.client.Load().Plugin.Window
	case !s.settings.Load().AgentSocket:
		said.Problem = "The setting agent_socket is false."
	case s.opening.failed != nil:
		said.Problem = s.opening.failed.Error()
	}
	return said
}

// tellListening notifies the plugin of each change of [server.listening].
func (s *server) tellListening(ctx context.Context) {
	if !s.client.Load().Plugin.Listening {
		return
	}
	var told listening
	rpc.Throttle(ctx, s.opening.news, s.opts.After, newsPause, func() (goOn bool) {
		if now := s.listening(); !reflect.DeepEqual(now, told) {
			told = now
			s.rpc.Notify(methodListening, now)
		}
		return true
	})
}
