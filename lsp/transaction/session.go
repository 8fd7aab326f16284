package transaction

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Server is what the sessions of a server share. Its fields are set before the first command
// and do not change; it is safe for concurrent use.
type Server struct {
	*host.Host
	Documents *workspace.Documents
	EditLog   *review.Log // the edits of agents, which can be undone
	Client    *rpc.Client // the editor
	Engine    *apply.Engine
	Asker     *proposal.Asker
	// Saves reports whether a file without unsaved changes is saved after each edit, or after the one that makes it.
	Saves  func(isNew bool) bool
	Others func() Others // for one command; nil if there are none
	// ReviewChanged is called when an agent has changed a text, or the user has reviewed such a change.
	ReviewChanged func()
	// Sent is called when an agent has sent a whole text, and the edit is made.
	Sent func(key paths.Key, content string)

	// Refusal is what the editor said when it refused an edit first; "" once it has made one, nil if it was sent none.
	Refusal atomic.Pointer[string]

	Arrivals workspace.Queue  // the commands that edit, in order of arrival
	queues   workspace.Queues // the same commands, by the texts that they edit
}

// Others are the other editors of the user, as one command asks them.
type Others interface {
	// MayWrite returns an error if one of them may have unsaved text of the file at path.
	MayWrite(ctx context.Context, path string) error
	Close()
}

// Session is the session of one client that sends commands: the editor itself, or an agent. Each
// session keeps its own record of the texts it was shown. It is safe for concurrent use.
type Session struct {
	*Server
	Name         func() string               // the name that the client gave itself
	Workspace    func() *workspace.Workspace // the documents and files that the client may access now
	Ledger       *lines.Ledger               // what the client knows of each text
	Conversation *review.Conversation        // that an agent is in; nil for the user
	Unseen       bool                        // the client's model does not see what edits answer
	Shares       *shares.Shares              // limits how its commands compute; nil if nothing does
	Agent        bool                        // it is not the editor's own client, which could apply an edit itself
	Done         func(what string)           // writes what the client did to the editor's log
}

// Tell adds to an answer what others did to the agent's edits since its last call: a note, or words of an error.
func (s *Session) Tell(ctx context.Context, answer any, err error) (any, error) {
	noted, takes := answer.(interface{ AddNote(note string) })
	e, failed := errors.AsType[*edits.Error](err)
	if err != nil { // the answer may be nil
		takes = failed && e.Kind != edits.Rejected // the user's own words
	}
	if s.Conversation != nil {
		s.Conversation.Called(false)
	}
	if !takes || s.Conversation == nil || s.Unseen || ctx.Err() != nil {
		return answer, err
	}
	switch news := s.Conversation.Tell(s.EditLog, s.Documents); {
	case news == "":
	case failed:
		told := *e
		told.Message += " " + news
		return answer, &told
	default:
		noted.AddNote(news)
	}
	return answer, err
}

// timeout returns how long a command may go on without progress, all tries included.
func (s *Server) timeout() time.Duration { return s.Limits().Wait(bounds.ApplyTimeoutMS) }

// forwardTime returns the part of the time limit that a command of several edits has
// for making each of them. The rest is reserved for taking each of them back.
func (s *Server) forwardTime() time.Duration { return s.timeout() * 3 / 5 }

// Run is one run of a command that edits. The time spent waiting for the user's answer is not part of it.
//
// A run has two contexts, both bounded by the command's time. Ctx also ends when the command is cancelled; Bounded ends only
// with the server or with the command's time. Once an edit is sent, only Bounded counts.
type Run struct {
	s            *Session
	Ctx, Bounded context.Context
	work         *edits.Work // the work of planning, which stops when Ctx ends
	share        *shares.Share
	arrival      *workspace.Turn // its turn among all commands
	turns        *workspace.Turn // its turns for its texts
	pins         history.Pins
	call         *call.Call
	others       Others // nil if there are none
	names        *workspace.Names
	extensions   []func() // of its time limits
	ends         []func()
}

// Begin starts the time limit of a command. arrival is the command's place among all commands that
// edit, in order of arrival. The caller must call [Run.End].
func (s *Session) Begin(ctx context.Context, arrival *workspace.Turn) *Run {
	r := &Run{s: s, arrival: arrival, call: call.Of(ctx), Bounded: call.Of(ctx).Under(s.Base)}
	r.limit(s.timeout())
	ctx, cancel := context.WithCancelCause(ctx)
	bounded := r.Bounded
	stop := context.AfterFunc(bounded, func() { cancel(context.Cause(bounded)) })
	r.ends = append(r.ends, func() { cancel(nil) }, func() { stop() })
	if s.Others != nil {
		r.others = s.Others()
		r.ends = append(r.ends, r.others.Close)
	}
	r.Ctx, r.share, r.names = ctx, s.Shares.Share(ctx), new(workspace.Names)
	r.work = edits.NewWork(func() error { r.share.Pause(); return ctx.Err() })
	return r
}

// Wait waits until the command may proceed: until all earlier commands for any of the named texts are done, or for any text
// if no names are given. The turns are taken when all commands that arrived earlier have taken theirs.
func (r *Run) Wait(names ...string) error {
	if r.arrival.Wait(r.Ctx) == nil {
		r.share.Compute(func() { r.turns = r.takeTurns(names) })
	}
	r.arrival.Done()
	if r.turns == nil || r.turns.Wait(r.Ctx) != nil {
		return apply.NotSent(r.Ctx, "other edits went first")
	}
	r.names = new(workspace.Names) // files may have been replaced while it waited
	r.s.Log.DebugContext(r.Ctx, "its turn")
	return nil
}

// workspace returns the documents and files that the command may access now.
func (r *Run) workspace() *workspace.Workspace {
	w := r.s.Workspace()
	w.Names = r.names
	return w
}

// limit ends Bounded once there was no progress for d, if it does not end earlier.
func (r *Run) limit(d time.Duration) {
	bounded, extend, end := r.s.Within(r.Bounded, d)
	r.Bounded, r.extensions, r.ends = bounded, append(r.extensions, extend), append(r.ends, end)
}

// advanced says that a part of the command's work is done, so that the time of a command grows with its work.
func (r *Run) advanced() {
	for _, extend := range r.extensions {
		extend()
	}
}

// End ends the run and lets the next command have its turn.
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

// over returns a context of the run that has ended, or nil if neither has.
func (r *Run) over() context.Context {
	for _, c := range []context.Context{r.Bounded, r.Ctx} { // Ctx may end later than Bounded
		if c.Err() != nil {
			return c
		}
	}
	return nil
}

// takeTurns takes turns for the named texts, or for all texts if there are no names. A name that cannot
// be resolved, perhaps because its file does not exist yet, is itself used as the key.
func (r *Run) takeTurns(names []string) *workspace.Turn {
	if len(names) == 0 {
		return r.s.queues.TakeAll()
	}
	w := r.workspace()
	var keys []paths.Key
	for _, name := range names {
		if r.work.Err() != nil {
			break // the command has ended
		}
		if place, err := w.Resolve(name); err == nil {
			keys = append(append(keys, place.Identity()), place.MayMakeGit()...)
		} else if name != "" {
			keys = append(keys, paths.Key(name))
		}
		r.advanced()
	}
	return r.s.queues.Take(keys...)
}

// confirmed runs a command within its time limit. If the command asks for it or edits a guarded file, the user has to
// agree first. do is called with a new transaction each time the command is planned.
func (s *Session) confirmed(ctx context.Context, arrival *workspace.Turn, name string, o commands.EditOptions, do func(*transaction) (*Result, error)) (*Result, error) {
	var r *Result
	var last *job
	decision, err := s.Asker.Agreed(ctx, s.Name(), name, o.Confirm, func(with *proposal.Agreement) (err error) {
		if arrival == nil { // the user has agreed
			arrival = s.Arrivals.Take()
		}
		run := s.Begin(ctx, arrival)
		defer run.End()
		t := &transaction{
			Run: run, agreement: with, last: last, command: name, label: label(name, o), save: o.Save, dryRun: o.DryRun,
			edit: &review.Edit{Command: name, Agent: s.Name(), Conversation: s.Conversation},
		}
		r, err = do(t)
		arrival, last = nil, t.last
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Decision = decision
	return r, nil
}
