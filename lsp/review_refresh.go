package lsp

import (
	"context"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/workspace/paths"
)

// reviewChanged has the editor show the marks as they are now. What a person types moves
// marks as well; of that the editor knows, and asks by itself.
func (s *server) reviewChanged() {
	set := s.settings.Load().Review
	s.showReview(set, set)
}

// marksMoved has diagnostics follow a change of the document of that name: for them no
// editor asks. uri is not kept.
func (s *server) marksMoved(uri string) {
	if !s.settings.Load().Review.Diagnostics {
		return
	}
	if key, err := paths.KeyOf(strings.Clone(uri)); err == nil {
		s.publish(key)
	}
}

// showReview has it shown by settings that were others before.
func (s *server) showReview(was, set reviewSettings) {
	shows := s.client.Load().shows
	if (was.CodeLens || set.CodeLens) && shows.lensRefresh {
		s.lensRefresh.ask(s, protocol.MethodWorkspaceCodeLensRefresh)
	}
	if (was.InlayHints || set.InlayHints) && shows.hintRefresh {
		s.hintRefresh.ask(s, protocol.MethodWorkspaceInlayHintRefresh)
	}
	if was.Diagnostics || set.Diagnostics {
		for _, doc := range s.docs.All() {
			s.publish(doc.Key)
		}
	}
}

// refresher asks the editor to ask again, once at a time: an editor may take long to
// answer. It is safe for concurrent use.
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
