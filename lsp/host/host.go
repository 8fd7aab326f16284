// Package host is what a server gives to all of its parts: what is known of the editor, the present bounds, the clock,
// the log, and goroutines that end with the server.
package host

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/editor"
)

// ErrGone is the cause with which [Host.Base] ends.
var ErrGone = errors.New("the editor has gone")

// Host is a server, as its parts see it. Its exported fields are set before the first part runs. It is safe for
// concurrent use.
type Host struct {
	Base  context.Context // the parent context of all work; it ends with the server
	Log   *slog.Logger
	After func(d time.Duration) <-chan time.Time // the clock by which the server waits

	// Background counts what runs for the server, which waits for it when it ends.
	Background sync.WaitGroup

	editor atomic.Pointer[editor.Editor]
	limits atomic.Pointer[bounds.Limits]
}

// Editor returns what is known of the connected editor; it is not nil once SetEditor was called.
func (h *Host) Editor() *editor.Editor { return h.editor.Load() }

// SetEditor replaces what is known of the editor.
func (h *Host) SetEditor(e *editor.Editor) { h.editor.Store(e) }

// Limits returns the present bounds; they are not nil once SetLimits was called.
func (h *Host) Limits() *bounds.Limits { return h.limits.Load() }

// SetLimits replaces the bounds.
func (h *Host) SetLimits(l *bounds.Limits) { h.limits.Store(l) }

// Go runs f in the background; f must end when its context is done, which is when the server ends.
func (h *Host) Go(f func(ctx context.Context)) { h.Background.Go(func() { f(h.Base) }) }

// Sleep waits for d, and reports whether ctx lasted that long.
func (h *Host) Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-h.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Throttle calls f each time that news has a value, at most once per pause, until ctx is done or f returns false.
func (h *Host) Throttle(ctx context.Context, news <-chan struct{}, pause time.Duration, f func() (goOn bool)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
		if !f() || !h.Sleep(ctx, pause) {
			return
		}
	}
}

// Within returns a context that ends with ctx, or after d with the cause [context.DeadlineExceeded]. extend gives it all of d
// again, and does not wait.
func (h *Host) Within(ctx context.Context, d time.Duration) (within context.Context, extend, cancel func()) {
	within, end := context.WithCancelCause(ctx)
	up, later := h.After(d), make(chan (<-chan time.Time), 1)
	h.Go(func(context.Context) {
		for {
			select {
			case up = <-later:
			case <-up:
				end(context.DeadlineExceeded)
				return
			case <-within.Done():
				return
			}
		}
	})
	extend = func() {
		select {
		case later <- h.After(d):
		default: // it was extended a moment ago
		}
	}
	return within, extend, func() { end(context.Canceled) }
}
