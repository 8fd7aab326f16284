package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// The methods of docs/contract.md that a client may call.
const (
	methodExecute = "patchls/execute"
	methodSynced  = "patchls/synced"
)

// Command is one command, declared once: dispatch, capabilities, the schemas,
// docs/commands.md and the command line follow from it.
type Command struct {
	Name  string // without "patchls."
	Title string
	Doc   string // sentences for whoever calls it
	Edits bool   // changes text; all others only read
	// Effect is what calls may do; see [Command.gives].
	Effect Effect
	// Imitates says that it is a reference tool: one that agents know from elsewhere,
	// and that answers in that one's words.
	Imitates bool
	// ForEditors says that it is for what people choose in an editor, and no tool of
	// agents.
	ForEditors bool

	arguments reflect.Value // struct, as it is when none of them is sent
	answer    reflect.Type  // struct; nil for a reference tool, whose answers differ
	// start is the first half of the request: it decodes, on the reading goroutine.
	start func(s *caller, arguments []json.RawMessage) (rpc.Work, error)
}

// declare declares a command with arguments A. A's method setDefaults, if it has one, sets
// what arguments are when they are not sent, and its method setMatch what match is by the
// user's settings. start is called on the reading goroutine.
func declare[A any](name, title, doc string, start func(s *caller, args A) rpc.Work) Command {
	return Command{
		Name: name, Title: title, Doc: doc, arguments: reflect.ValueOf(defaults[A]()),
		start: func(s *caller, arguments []json.RawMessage) (rpc.Work, error) {
			args := defaults[A]()
			if c, ok := any(&args).(interface{ SetMatch(match string) }); ok {
				c.SetMatch(s.settings.Load().Match)
			}
			if err := schema.Decode(name, arguments, &args); err != nil {
				return nil, err
			}
			if err := s.limitsNow().Check(args); err != nil {
				return nil, err
			}
			return start(s, args), nil
		},
	}
}

// reader declares a command that reads.
func reader[A any](name, title, doc string, run func(ctx context.Context, s *caller, args A) (any, error)) Command {
	return declare(name, title, doc, func(s *caller, args A) rpc.Work {
		return func(ctx context.Context) (any, error) {
			return s.withShare(ctx, func() (any, error) { return run(ctx, s, args) })
		}
	})
}

// withShare runs a command that only reads with a share, so that few texts are read at a time.
func (s *caller) withShare(ctx context.Context, run func() (any, error)) (result any, err error) {
	s.session.Shares.Share(ctx).Compute(func() {
		if err = ctx.Err(); err == nil {
			result, err = run()
		}
	})
	return result, err
}

// changer declares a command that changes texts. Its calls take their turns in the order in
// which they arrive.
func changer[A any](name, title, doc string, run func(s *caller, ctx context.Context, arrival *workspace.Turn, name string, args A) (*transaction.Result, error)) Command {
	c := declare(name, title, doc, func(s *caller, args A) rpc.Work {
		turn := s.editing.Arrivals.Take()
		return func(ctx context.Context) (any, error) {
			defer turn.Done()
			return run(s, ctx, turn, name, args)
		}
	})
	c.Edits = true
	return c
}

// textChanger declares a command that edits one text: A says which, and plans the edit.
func textChanger[A commands.Edit](name, title, doc string) Command {
	return changer(name, title, doc+inBuffer, func(s *caller, ctx context.Context, arrival *workspace.Turn, name string, args A) (*transaction.Result, error) {
		return s.session.Edit(ctx, arrival, name, args)
	})
}

// reads returns a function of sessions as one that commands are declared with.
func reads[A any](run func(ctx context.Context, s *transaction.Session, args A) (any, error)) func(context.Context, *caller, A) (any, error) {
	return func(ctx context.Context, s *caller, args A) (any, error) { return run(ctx, s.session, args) }
}

// inSession returns a method of sessions as one that commands are declared with.
func inSession[A any](run func(s *transaction.Session, ctx context.Context, arrival *workspace.Turn, name string, args A) (*transaction.Result, error)) func(*caller, context.Context, *workspace.Turn, string, A) (*transaction.Result, error) {
	return func(s *caller, ctx context.Context, arrival *workspace.Turn, name string, args A) (*transaction.Result, error) {
		return run(s.session, ctx, arrival, name, args)
	}
}

// defaults returns an A that has its defaults.
func defaults[A any]() A {
	var args A
	if d, ok := any(&args).(interface{ SetDefaults() }); ok {
		d.SetDefaults()
	}
	return args
}

// Schema returns the JSON schema of the command's arguments: an object, with
// the defaults filled in.
func (c *Command) Schema() (*jsonschema.Schema, error) {
	of, err := schema.Of(c.arguments)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", c.Name, err)
	}
	of.Title, of.Description = c.Title, c.Doc
	return of, nil
}

// AnswerSchema returns the JSON schema of what the command answers: an object. It
// is nil for a reference tool, whose answers are not of one kind. Commands that
// answer alike share it, so it must not be changed.
func (c *Command) AnswerSchema() (*jsonschema.Schema, error) {
	if c.answer == nil {
		return nil, nil
	}
	of, err := schema.OfAnswer(c.answer)
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
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, schema.Invalid(`The parameters must be an object with "command", a string, and "arguments", a list that holds one object`)
	}
	way := call.New(s.called(), p.Command)
	s.log.DebugContext(way.Under(ctx), "arrived")
	run, err := s.start(p.Command, p.Arguments)
	if err != nil {
		call.Answered(way.Under(ctx), s.log, err)
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		ctx = way.Under(ctx)
		result, err := rpc.Fenced(p.Command, func() (any, error) { return run(ctx) })
		if broken, ok := errors.AsType[*rpc.FaultError](err); ok {
			broken.Call = way.Name
		}
		call.Answered(ctx, s.log, err)
		s.logTrace(ctx, "%s: %v, error: %v, call %s", p.Command, time.Since(way.Began), err, way.Name)
		s.warnOf(err)
		return result, err
	}, nil
}

// start does the first half of a command, on the reading goroutine.
func (s *caller) start(command string, arguments []json.RawMessage) (rpc.Work, error) {
	c, err := commandNamed(command)
	if err != nil {
		return nil, err
	}
	for i, a := range arguments {
		arguments[i] = bytes.Clone(a) // params are valid only until this half ends
	}
	return c.start(s, arguments)
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
	e := &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("Unknown command %q.", name)}
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

// Effect is what the calls of a command may do to texts and files, for whoever
// decides which calls to allow.
type Effect int

const (
	// Reads changes nothing.
	Reads Effect = iota
	// Reviews changes no text, and takes marks off that are for the user to see.
	Reviews
	// Adds changes texts, and takes nothing away from them.
	Adds
	// Replaces may take away what is there, and the same call may do more a second
	// time.
	Replaces
	// Settles may take away what is there; the same call does nothing more a second
	// time.
	Settles
)

// gives declares what a command does and answers.
func (c Command) gives(effect Effect, answer any) Command {
	c.Effect, c.answer = effect, reflect.TypeOf(answer)
	return c
}

// imitates declares what a reference tool does.
func (c Command) imitates(effect Effect) Command {
	c.Effect, c.Imitates = effect, true
	return c
}

// forEditors declares a command that is no tool of agents.
func (c Command) forEditors() Command {
	c.ForEditors = true
	return c
}
