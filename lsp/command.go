package lsp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/schema"
)

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

	answer any // an empty answer, a struct; nil for a reference tool, whose answers differ in kind
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
func (c *Command) Imitates() bool { return c.answer == nil }

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

// AnswerSchema returns the JSON schema of what the command answers: an object. It
// is nil for a reference tool, whose answers are not of one kind.
func (c *Command) AnswerSchema() (*jsonschema.Schema, error) {
	if c.answer == nil {
		return nil, nil
	}
	of, err := schema.OfAnswer(reflect.TypeOf(c.answer))
	if err != nil {
		return nil, fmt.Errorf("schema of the answer of %s: %w", c.Name, err)
	}
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
	names := make([]string, len(Commands))
	for i, c := range Commands {
		names[i] = commands.Prefix + c.Name
	}
	return names
}
