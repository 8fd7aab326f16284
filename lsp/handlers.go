package lsp

import (
	"context"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/patchdoc"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// handler is how the calls of a command run.
type handler struct {
	arguments reflect.Value // a struct with the defaults
	// begin is the first half of the request: it decodes the arguments, on the reading goroutine. reads says that this call
	// changes no text.
	begin func(s *caller, c *Command, arguments []jsontext.Value) (run run, reads bool, err error)
}

// run is the second half of a request. turn is the turn of a call that changes texts.
type run func(ctx context.Context, turn *workspace.Turn) (any, error)

// handles returns the handler of arguments A. If A has a method SetDefaults, it sets the defaults of the arguments; if A has
// SetMatch, it sets match to the user's setting.
func handles[A any](do func(ctx context.Context, s *caller, turn *workspace.Turn, name string, args A) (any, error)) handler {
	return handler{reflect.ValueOf(defaults[A]()), func(s *caller, c *Command, arguments []jsontext.Value) (run, bool, error) {
		args := defaults[A]()
		if c, ok := any(&args).(interface{ SetMatch(match string) }); ok {
			c.SetMatch(s.settings.Load().Match)
		}
		if err := schema.Decode(arguments, &args); err != nil {
			return nil, false, err
		}
		return func(ctx context.Context, turn *workspace.Turn) (any, error) {
			return do(ctx, s, turn, c.Name, args)
		}, !c.Edits(), s.Limits().Check(args)
	}}
}

// defaults returns an A with its defaults set.
func defaults[A any]() A {
	var args A
	if d, ok := any(&args).(interface{ SetDefaults() }); ok {
		d.SetDefaults()
	}
	return args
}

// reads handles the calls of a command that reads.
func reads[A any](do func(ctx context.Context, s *transaction.Session, args A) (any, error)) handler {
	return handles(func(ctx context.Context, s *caller, _ *workspace.Turn, _ string, args A) (any, error) {
		return do(ctx, s.session, args)
	})
}

// changes handles the calls of a command that changes texts: do is a method of a session.
func changes[A any](do func(s *transaction.Session, ctx context.Context, turn *workspace.Turn, name string, args A) (*transaction.Result, error)) handler {
	return handles(func(ctx context.Context, s *caller, turn *workspace.Turn, name string, args A) (any, error) {
		return do(s.session, ctx, turn, name, args)
	})
}

// editsText handles the calls of a command that edits one text: A says which, and plans the edit.
func editsText[A commands.Edit]() handler {
	return handles(func(ctx context.Context, s *caller, turn *workspace.Turn, name string, args A) (any, error) {
		return s.session.Edit(ctx, turn, name, args)
	})
}

// imitates handles the calls of a reference tool. A declares its arguments; parse reads them, on the
// reading goroutine, into a [reference.Call].
func imitates[A any](parse func(arguments []jsontext.Value) (*reference.Call, error)) handler {
	return handler{reflect.ValueOf(defaults[A]()), func(s *caller, c *Command, arguments []jsontext.Value) (run, bool, error) {
		call, err := parse(arguments)
		if err == nil && call.Edit != nil {
			err = s.Limits().Check(call.Edit.Edit)
		}
		if err != nil {
			return nil, false, err
		}
		return func(ctx context.Context, turn *workspace.Turn) (r any, err error) {
			switch u := call.Undo; {
			case call.Read != nil:
				r, err = call.Read(reference.Session{Workspace: s.workspace(), Read: s.engine.Read, Ledger: s.session.Ledger, Room: page.Room(s.called())})
			case call.Edit != nil:
				r, err = s.session.Edit(ctx, turn, c.Name, call.Edit)
			default:
				r, err = s.session.UndoAs(ctx, turn, c.Name, transaction.UndoArgs{Path: u.Path, EditOptions: u.Options}, func(r *transaction.Result, _ []review.Part) string {
					return u.Report(r.Files[0].Snippet)
				})
			}
			return r, call.Refused(err)
		}, call.Read != nil, nil
	}}
}

func keep(_ context.Context, s *transaction.Session, args review.Args) (any, error) {
	args, err := args.Checked("keep")
	if err != nil {
		return nil, err
	}
	var of paths.Target
	if args.Path != "" {
		if of, err = s.Workspace().Resolve(args.Path); err != nil {
			return nil, err
		}
	}
	parts, err := s.EditLog.Parts(s.Documents, args, of)
	if err != nil {
		return nil, err
	}
	kept := review.Keep(s.Documents, args, parts)
	s.Done(kept.Message) // an agent may remove the marks of its own edit
	s.ReviewChanged()
	return kept, nil
}

type revertArgs struct {
	review.Args
	commands.EditOptions
}

// revert takes hunks of agents' edits back.
func revert(ctx context.Context, s *caller, turn *workspace.Turn, name string, args revertArgs) (any, error) {
	named, err := args.Checked(name)
	if err != nil {
		return nil, err
	}
	return s.session.TakeBack(ctx, turn, name, transaction.UndoArgs{EditID: named.EditID, Path: named.Path, EditOptions: args.EditOptions},
		func(place paths.Target) ([]review.Part, error) { return s.editLog.Parts(s.docs, named, place) },
		func(r *transaction.Result, parts []review.Part) string {
			return fmt.Sprintf("Reverted %s in %s.", named.Words(parts), edits.Listed(r.Paths()))
		})
}

// applyDocument applies the patches that a document holds. The rev in args is the rev of that
// document, since the hunks are counted in it.
func applyDocument(ctx context.Context, s *caller, turn *workspace.Turn, name string, args patchdoc.Args) (any, error) {
	w := s.workspace()
	at, err := w.Resolve(args.Path)
	if err != nil {
		return nil, err
	}
	snap, err := s.engine.Read(w, at)
	if err != nil {
		return nil, err
	}
	sent, err := s.patchDocs.Chosen(snap, args)
	if err != nil {
		return nil, err
	}
	return s.session.ApplyPatch(ctx, turn, name, func() (patch.Patch, error) { return sent, nil }, place.Options{}, args.EditOptions)
}
