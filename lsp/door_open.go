package lsp

import (
	"context"
	"sync"
	"time"
)

// opening is whether the door for agents stands open.
type opening struct {
	mu    sync.Mutex
	close context.CancelFunc // nil while it is closed
}

// tendDoor opens or closes the door for agents, as the settings say. It is called
// once the client is there, and whenever settings have come.
func (s *server) tendDoor() {
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
		s.spawn(func(context.Context) { s.opts.Agents(ctx, &Door{s}) })
	case !wanted && s.opening.close != nil:
		s.opening.close()
		s.opening.close = nil
	}
}
