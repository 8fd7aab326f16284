package transaction

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/workspace"
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
