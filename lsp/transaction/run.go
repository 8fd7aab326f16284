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
	pins         apply.Pins
	call         *call.Call
	ends         []func()
}

// Begin waits until a command may go on: all that came before it and is about
// one of the same texts is done. arrival is its place among all commands that
// edit, in the order in which they came; texts is called when it has come, and
// says which texts the command takes turns for. The run must be ended.
func (s *Session) Begin(ctx context.Context, arrival *workspace.Turn, texts func(*edits.Work) *workspace.Turn) (*Run, error) {
	r := &Run{call: call.Of(ctx), Bounded: call.Of(ctx).Under(s.Base)}
	r.limit(s, s.timeout())
	ctx, cancel := context.WithCancelCause(ctx)
	bounded := r.Bounded
	stop := context.AfterFunc(bounded, func() { cancel(context.Cause(bounded)) })
	r.ends = append(r.ends, func() { cancel(nil) }, func() { stop() })
	r.Ctx, r.share = ctx, s.Shares.Share(ctx)
	r.work = edits.NewWork(func() error { r.share.Pause(); return ctx.Err() })
	err := arrival.Wait(ctx)
	if err == nil {
		r.share.Compute(func() { r.turns = texts(r.work) })
	}
	arrival.Done()
	if err == nil {
		err = r.turns.Wait(ctx)
	}
	if err != nil {
		defer r.End()
		return nil, apply.NotSent(ctx, "other edits went first")
	}
	s.Log.DebugContext(ctx, "its turn")
	return r, nil
}

// limit bounds the run to a time from now on.
func (r *Run) limit(s *Session, d time.Duration) {
	bounded, end := s.Within(r.Bounded, d)
	r.Bounded, r.ends = bounded, append(r.ends, end)
}

// End lets the next command have its turn.
func (r *Run) End() {
	if r.turns != nil {
		r.turns.Done()
	}
	r.pins.Release()
	for _, end := range r.ends {
		end()
	}
}

// over returns the context of the run that is done, nil while neither is.
func (r *Run) over() context.Context {
	for _, c := range []context.Context{r.Bounded, r.Ctx} { // which may not know of the other yet
		if c.Err() != nil {
			return c
		}
	}
	return nil
}

// Ended is the error of a run whose time is up or that was cancelled before
// anything was sent, nil while neither is so. again: it has been tried before.
func (r *Run) Ended(again bool) error {
	why := "planning it took all of it; send less at once"
	if again {
		why = "the text kept changing"
	}
	if over := r.over(); over != nil {
		return apply.NotSent(over, why)
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
