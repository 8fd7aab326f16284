package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// caller sends commands: the client itself, or an agent at the endpoint. All callers work on the
// server's documents; each has its own record of what it was shown, unless it says which actor it is.
type caller struct {
	*server
	name   string // what an agent calls itself; "" for the client
	exact  bool   // the names in its diffs of git are counted from folder, too
	folder string // where its relative paths are looked for first; "" for the workspace folders
	// session runs the caller's commands.
	session *transaction.Session
}

// newCaller returns a caller whose commands compute with the given shares.
func (s *server) newCaller(with *shares.Shares) *caller {
	c := &caller{server: s}
	c.session = &transaction.Session{Server: &s.editing, Name: c.called, Workspace: c.workspace, Ledger: &lines.Ledger{}, Shares: with, Agent: with != nil, Done: c.logDone}
	return c
}

// called returns the name that the caller gives itself.
func (s *caller) called() string {
	if s.name == "" {
		return s.Editor().Name
	}
	return s.name
}

// workspace returns the server's workspace, with the caller's folder as the base of relative paths.
func (s *caller) workspace() *workspace.Workspace {
	w := s.server.workspace()
	w.Policy.Base, w.Policy.BaseIsTop = s.folder, s.exact
	return w
}

// forget drops what all callers remember of a document.
func (s *server) forget(key paths.Key) {
	for c := range s.callers.Range {
		if c, ok := c.(*caller); ok {
			c.session.Ledger.Forget(key)
		}
	}
	s.actors.forget(key)
}

// as returns the caller for a call of an actor, "" for the caller's own.
func (s *caller) as(actor string) *caller {
	if actor == "" {
		return s
	}
	own, session := *s, *s.session
	session.Ledger, own.session = s.actors.ledger(actor), &session
	return &own
}

// The bounds of actors.
const (
	maxActors    = 100  // actors whose texts are kept
	maxNamed     = 1000 // actors whose names are kept, with those of the texts that they were shown
	maxActorName = 200  // bytes
)

// actors are those who see and edit texts under a name of their own: several may use one connection, and one may use
// several, one after the other or at the same time. It is safe for concurrent use.
type actors struct {
	mu  sync.Mutex
	all []actor // the one that called longest ago is first, and is the first whose texts are dropped
}

// actor is what an actor of that name knows.
type actor struct {
	name string
	*lines.Ledger
}

// ledger returns what an actor knows.
func (a *actors) ledger(name string) *lines.Ledger {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := actor{name[:min(len(name), maxActorName)], &lines.Ledger{}}
	if i := slices.IndexFunc(a.all, func(b actor) bool { return b.name == now.name }); i >= 0 {
		now = a.all[i]
		a.all = slices.Delete(a.all, i, i+1)
	}
	a.all = append(slices.Delete(a.all, 0, max(0, len(a.all)+1-maxNamed)), now)
	if old := len(a.all) - maxActors; old > 0 {
		a.all[old-1].Drop()
	}
	return now.Ledger
}

// forget drops what all actors know of a text.
func (a *actors) forget(key paths.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.all {
		b.Forget(key)
	}
}

// The methods of docs/contract.md that a client may call.
const (
	methodExecute = "patchls/execute"
	methodSynced  = "patchls/synced"
	methodMerged  = "patchls/merged"
	methodNotText = "patchls/notText"
)

// Command is one command, declared once: dispatch, capabilities, the schemas,
// docs/commands.md and the command line follow from it.
type Command struct {
	Name   string // without "patchls."
	Title  string
	Doc    string // sentences for the agent or program that calls it
	Effect Effect // what calls may do
	// ForEditors says that users choose the command in an editor, and that it is no tool for agents.
	ForEditors bool

	handler
}

// Edits reports whether the command changes text.
func (c *Command) Edits() bool { return c.Effect >= Adds }

// Edits reports whether name is that of a command that edits.
func Edits(name string) bool {
	return slices.ContainsFunc(Commands, func(c Command) bool { return c.Name == name && c.Edits() })
}

// Imitates reports whether the command is a reference tool: it imitates a tool that agents know
// from elsewhere, and answers in that tool's words.
func (c *Command) Imitates() bool { return c.imitates }

// Effect is what the calls of a command may do to texts and files. Clients of agents decide by it which calls to allow.
type Effect int

const (
	// Reads changes nothing.
	Reads Effect = iota
	// Reviews changes no text, and removes marks that the user sees.
	Reviews
	// Adds changes texts, and takes nothing away from them.
	Adds
	// Replaces may remove what exists, and the same call may change more a second time.
	Replaces
	// Settles may remove what exists; the same call changes nothing more a second time.
	Settles
)

// Schema returns the JSON schema of the command's arguments: an object, with the defaults filled in.
func (c *Command) Schema() (*jsonschema.Schema, error) {
	of, err := schema.Of(c.arguments)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", c.Name, err)
	}
	of.Title, of.Description = c.Title, c.Doc
	return of, nil
}

// Arguments returns the arguments of the command, in order.
func (c *Command) Arguments() ([]schema.Argument, error) {
	of, err := c.Schema()
	if err != nil {
		return nil, err
	}
	return schema.Describe(c.arguments.Type(), of), nil
}

// executeCommand is workspace/executeCommand, and patchls/execute for clients
// that would register every advertised command for the whole editor (hazard: global-commands).
func (s *caller) executeCommand(ctx context.Context, params []byte) (rpc.Work, error) {
	var p struct {
		Command   string           `json:"command"`
		Arguments []jsontext.Value `json:"arguments"`
		Actor     string           `json:"actor"` // who sends the command, if several use the connection
	}
	if err := decode(params, &p); err != nil {
		return nil, schema.Invalid(`The parameters must be an object with "command", a string, and "arguments", a list that holds one object`)
	}
	way := call.New(s.called(), p.Command)
	s.Log.DebugContext(way.Under(ctx), "arrived")
	run, err := s.as(p.Actor).start(p.Command, p.Arguments)
	if err != nil {
		call.Answered(way.Under(ctx), s.Log, err)
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		ctx = way.Under(ctx)
		result, err := rpc.Fenced(p.Command, func() (any, error) { return run(ctx) })
		if broken, ok := errors.AsType[*rpc.FaultError](err); ok {
			broken.Call = way.Name
		}
		call.Answered(ctx, s.Log, err)
		s.warnOf(err)
		return result, err
	}, nil
}

// start does the first half of a command, on the reading goroutine.
func (s *caller) start(command string, arguments []jsontext.Value) (rpc.Work, error) {
	c, err := commandNamed(command)
	if err != nil {
		return nil, err
	}
	run, reads, err := c.begin(s, c, arguments)
	switch {
	case err != nil:
		return nil, err
	case reads: // with a share, so that few texts are read at a time
		return func(ctx context.Context) (result any, err error) {
			s.session.Shares.Share(ctx).Compute(func() {
				if err = ctx.Err(); err == nil {
					result, err = run(ctx, nil)
				}
			})
			return result, err
		}, nil
	}
	turn := s.editing.Arrivals.Take() // in the order in which they arrive
	return func(ctx context.Context) (any, error) {
		defer turn.Done()
		return run(ctx, turn)
	}, nil
}

// commandNamed finds a command by its LSP name.
func commandNamed(name string) (*Command, error) {
	for _, table := range [][]Command{Commands, endpointCommands} {
		for i := range table {
			if commands.Prefix+table[i].Name == name {
				return &table[i], nil
			}
		}
	}
	e := edits.Errorf(edits.InvalidParams, "Unknown command %q.", name)
	if near := edits.NearestName(commands.Prefix+strings.TrimPrefix(name, commands.Prefix), commandNames()); near != "" {
		e.Message = fmt.Sprintf("Unknown command %q: did you mean %q?", name, near)
	}
	return nil, e
}

func commandNames() []string {
	return lists.Map(Commands, func(c Command) string { return commands.Prefix + c.Name })
}
