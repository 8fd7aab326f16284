package transaction

import (
	"context"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Run is a command that edits, from its turn on.
//
// It has two contexts with one deadline: Ctx ends with a cancel as well, Bounded
// with the server and the command's time alone. Once an edit is sent only Bounded
// counts.
type Run struct {
	Ctx, Bounded context.Context
	work         *edits.Work // of planning, until ctx ends
	share        *shares.Share
	turns        *workspace.Turn
	holds        holds
	ends         []func()
}

// holds are what a command keeps until it ends.
type holds struct {
	pins apply.Pins
	call *call.Call // that it is
}

// under returns ctx as one of the command.
func (h *holds) under(ctx context.Context) context.Context {
	if h == nil {
		return ctx
	}
	return h.call.Under(ctx)
}

// Begin waits until a command may go on: all that came before it and is about
// one of the same texts is done. arrival is its place among all commands that
// edit, in the order in which they came; texts is called when it has come, and
// says which texts the command takes turns for. The run must be ended.
func (s *Session) Begin(ctx context.Context, arrival *workspace.Turn, texts func(*edits.Work) *workspace.Turn) (*Run, error) {
	r := &Run{}
	r.holds.call = call.Of(ctx)
	bounded, cancel := s.Within(r.holds.under(s.Base), s.timeout())
	ctx, cancelBoth := context.WithCancelCause(ctx)
	stop := context.AfterFunc(bounded, func() { cancelBoth(context.Cause(bounded)) })
	r.Ctx, r.Bounded, r.share = ctx, bounded, s.Shares.Share(ctx)
	r.work = edits.NewWork(func() error { r.share.Pause(); return ctx.Err() })
	r.ends = []func(){cancel, func() { cancelBoth(nil) }, func() { stop() }}
	err := arrival.Wait(ctx)
	if err == nil {
		r.share.Compute(func() { r.turns = texts(r.work) })
		arrival.Done()
		err = r.turns.Wait(ctx)
	}
	if err != nil {
		defer r.End()
		return nil, apply.NotSent(ctx, "other edits went first")
	}
	s.Log.DebugContext(ctx, "its turn")
	return r, nil
}

// End lets the next command have its turn.
func (r *Run) End() {
	if r.turns != nil {
		r.turns.Done()
	}
	r.holds.pins.Release()
	for _, end := range r.ends {
		end()
	}
}

// forwardTime is the part of its time that a command of several edits has for
// making them: the rest is for putting them back.
func (s *Server) forwardTime() time.Duration { return s.timeout() * 3 / 5 }

// forward returns what bounds the making of n edits.
func (r *Run) forward(s *Session, n int) (bounded context.Context, end func()) {
	if n == 1 {
		return r.Bounded, func() {}
	}
	return s.Within(r.Bounded, s.forwardTime())
}

// Ended is the error of a run whose time is up or that was cancelled before
// anything was sent, nil while neither is so. again: it has been tried before.
func (r *Run) Ended(again bool) error {
	why := "planning it took all of it; send less at once"
	if again {
		why = "the text kept changing"
	}
	for _, c := range []context.Context{r.Bounded, r.Ctx} { // which may not know of the other yet
		if c.Err() != nil {
			return apply.NotSent(c, why)
		}
	}
	return nil
}

// Texts takes turns for the texts that the names are of, for all texts if there are none. What
// cannot be resolved is not there yet, or never: its own name stands for it.
func (s *Session) Texts(names ...string) func(*edits.Work) *workspace.Turn {
	return func(work *edits.Work) *workspace.Turn {
		if len(names) == 0 {
			return s.queues.TakeAll()
		}
		w := s.Workspace()
		var keys []paths.Key
		for _, name := range names {
			if work.Err() != nil {
				break // the command has ended
			}
			if place, err := w.Resolve(name); err == nil {
				keys = append(keys, place.Identity())
			} else if name != "" {
				keys = append(keys, paths.Key(name))
			}
		}
		return s.queues.Take(keys...)
	}
}
