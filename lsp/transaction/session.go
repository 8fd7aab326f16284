package transaction

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Server is what the sessions of a server share. Its fields are set before the first command
// and do not change; it is safe for concurrent use.
type Server struct {
	Base      context.Context // of the server
	Documents *workspace.Documents
	Made      *review.Log // the edits of agents, which can be undone
	Editor    func() *editor.Editor
	Client    *rpc.Client // the editor
	Engine    *apply.Engine
	Asker     *proposal.Asker
	Limits    func() *bounds.Limits
	Log       *slog.Logger
	After     func(d time.Duration) <-chan time.Time
	// Within returns a context that ends with ctx, or after d with the cause context.DeadlineExceeded.
	Within func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// SavesClean reports whether files that had nothing unsaved are saved after each edit.
	SavesClean func() bool
	// ReviewChanged is called when agents have changed something, or the user has reviewed it.
	ReviewChanged func()

	Arrivals workspace.Queue  // of commands that edit, in the order in which they came
	queues   workspace.Queues // of those, by the texts that they are about
}

// Session is one that sends commands: the editor itself, or an agent. What each was shown is
// its own. It is safe for concurrent use.
type Session struct {
	*Server
	Name      func() string               // what it calls itself
	Workspace func() *workspace.Workspace // the documents and files as it may touch them now
	Shown     *lines.Ledger               // what it knows of each text
	Shares    *shares.Shares              // with which its commands compute; nil where they need none
	Done      func(what string)           // has the editor's log say what it did
}

// timeout bounds a command, all tries included.
func (s *Server) timeout() time.Duration { return s.Limits().Wait(bounds.ApplyTimeoutMS) }

// forwardTime is the part of its time that a command of several edits has for
// making them: the rest is for taking them back.
func (s *Server) forwardTime() time.Duration { return s.timeout() * 3 / 5 }

// logEdit has the editor's log say who has edited what.
func (s *Session) logEdit(r *Result, command string) {
	line, _, _ := strings.Cut(r.Message, "\n")
	s.Done(fmt.Sprintf("%s (%s, edit %s)", strings.TrimSuffix(line, "."), command, r.EditID))
}

// Run is a command that edits, but for what it waits for the user's answer.
//
// It has two contexts with one deadline: Ctx ends with a cancel as well, Bounded
// with the server and the command's time alone. Once an edit is sent only Bounded
// counts.
type Run struct {
	s            *Session
	Ctx, Bounded context.Context
	work         *edits.Work // of planning, until ctx ends
	share        *shares.Share
	arrival      *workspace.Turn // among all commands
	turns        *workspace.Turn // of its texts
	pins         apply.Pins
	call         *call.Call
	ends         []func()
}

// Begin begins the time of a command. arrival is its place among all commands that edit, in the
// order in which they came. The run must be ended.
func (s *Session) Begin(ctx context.Context, arrival *workspace.Turn) *Run {
	r := &Run{s: s, arrival: arrival, call: call.Of(ctx), Bounded: call.Of(ctx).Under(s.Base)}
	r.limit(s.timeout())
	ctx, cancel := context.WithCancelCause(ctx)
	bounded := r.Bounded
	stop := context.AfterFunc(bounded, func() { cancel(context.Cause(bounded)) })
	r.ends = append(r.ends, func() { cancel(nil) }, func() { stop() })
	r.Ctx, r.share = ctx, s.Shares.Share(ctx)
	r.work = edits.NewWork(func() error { r.share.Pause(); return ctx.Err() })
	return r
}

// Wait waits until the command may go on: all that came before it and is about one of the same
// texts is done. texts is called when its place has come, and says which texts the command takes
// turns for.
func (r *Run) Wait(texts func(*edits.Work) *workspace.Turn) error {
	err := r.arrival.Wait(r.Ctx)
	if err == nil {
		r.share.Compute(func() { r.turns = texts(r.work) })
	}
	r.arrival.Done()
	if err == nil {
		err = r.turns.Wait(r.Ctx)
	}
	if err != nil {
		return apply.NotSent(r.Ctx, "other edits went first")
	}
	r.s.Log.DebugContext(r.Ctx, "its turn")
	return nil
}

// limit bounds the run to a time from now on.
func (r *Run) limit(d time.Duration) {
	bounded, end := r.s.Within(r.Bounded, d)
	r.Bounded, r.ends = bounded, append(r.ends, end)
}

// End lets the next command have its turn.
func (r *Run) End() {
	r.arrival.Done()
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
