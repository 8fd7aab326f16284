package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"
)

// reviewChanged has the editor ask for the code lenses again after agents have changed
// something, or the user has reviewed it. When the user types, editors ask by themselves.
func (s *server) reviewChanged() {
	if s.settings.Load().Review.CodeLens {
		s.refreshLenses()
	}
}

// refreshLenses has the editor ask for the code lenses again, if it can be asked to.
func (s *server) refreshLenses() {
	if s.client.Load().Display.LensRefresh {
		s.lensRefresh.ask(s, protocol.MethodWorkspaceCodeLensRefresh)
	}
}

// refresher sends an editor one request to refresh at a time, since an editor may take
// long to answer. It is safe for concurrent use.
type refresher struct {
	mu          sync.Mutex
	busy, again bool
}

func (r *refresher) ask(s *server, method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		r.again = true
		return
	}
	r.busy = true
	s.spawn(func(ctx context.Context) {
		for more := true; more; {
			if _, err := s.conn.Call(ctx, method, nil, nil); err != nil {
				s.log.Debug("refresh", "method", method, "error", err)
			}
			r.mu.Lock()
			more = r.again && ctx.Err() == nil
			r.busy, r.again = more, false
			r.mu.Unlock()
		}
	})
}
