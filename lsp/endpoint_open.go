package lsp

import (
	"context"
	"sync"
	"time"
)

// opening is whether the agents' endpoint stands open.
type opening struct {
	mu    sync.Mutex
	close context.CancelFunc // nil while it is closed
}

// updateEndpoint opens or closes the agents' endpoint, as the settings say. It is called
// once the client is there, and whenever settings have come.
func (s *server) updateEndpoint() {
	if s.opts.Agents == nil || s.lifecycle.state() != running {
		return
	}
	s.opening.mu.Lock()
	defer s.opening.mu.Unlock()
	switch wanted := s.settings.Load().AgentSocket; {
	case wanted && s.opening.close == nil:
		ctx, cancel := context.WithCancel(s.base)
		s.opening.close = cancel
		s.active.Store(time.Now().UnixNano())
		s.spawn(func(context.Context) { s.opts.Agents(ctx, &Endpoint{s}) })
	case !wanted && s.opening.close != nil:
		s.opening.close()
		s.opening.close = nil
	}
}

// methodChanged tells an agent that documents were opened, changed or closed.
const methodChanged = "patchls/changed"

// newsPause is the least time between two of those.
const newsPause = 100 * time.Millisecond

// spawnNews has the agent told of changes until it has left.
func (a *agentSession) spawnNews() {
	news := make(chan struct{}, 1)
	stop := a.docs.Listen(news)
	ctx := a.base
	a.spawn(func(context.Context) {
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-news:
			}
			if err := a.back.Notify(ctx, methodChanged, map[string]any{}); err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-a.opts.After(newsPause):
			}
		}
	})
}
