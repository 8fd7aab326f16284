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
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// handler is how the calls of a command begin.
type handler struct {
	arguments reflect.Value // a struct with the defaults
	// start is the first half of the request: it decodes the arguments, on the reading goroutine.
	start func(s *caller, name string, arguments []jsontext.Value) (rpc.Work, error)
}

// handles returns the handler of arguments A. If A has a method SetDefaults, it sets the defaults of the arguments; if A has
// SetMatch, it sets match to the user's setting. start is called on the reading goroutine.
func handles[A any](start func(s *caller, name string, args A) rpc.Work) handler {
	return handler{reflect.ValueOf(defaults[A]()), func(s *caller, name string, arguments []jsontext.Value) (rpc.Work, error) {
		args := defaults[A]()
		if c, ok := any(&args).(interface{ SetMatch(match string) }); ok {
			c.SetMatch(s.settings.Load().Match)
		}
		if err := schema.Decode(arguments, &args); err != nil {
			return nil, err
		}
		if err := s.Limits().Check(args); err != nil {
			return nil, err
		}
		return start(s, name, args), nil
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
func reads[A any](run func(ctx context.Context, s *transaction.Session, args A) (any, error)) handler {
	return handles(func(s *caller, _ string, args A) rpc.Work {
		return s.reading(func(ctx context.Context) (any, error) { return run(ctx, s.session, args) })
	})
}

// reading returns the work of a command that only reads. It runs with a share, so that few texts are read at a time.
func (s *caller) reading(run rpc.Work) rpc.Work {
	return func(ctx context.Context) (result any, err error) {
		s.session.Shares.Share(ctx).Compute(func() {
			if err = ctx.Err(); err == nil {
				result, err = run(ctx)
			}
		})
		return result, err
	}
}

// changes handles the calls of a command that changes texts: run is a method of a session. They take their turns in
// the order in which they arrive.
func changes[A any](run func(s *transaction.Session, ctx context.Context, arrival *workspace.Turn, name string, args A) (*transaction.Result, error)) handler {
	return handles(func(s *caller, name string, args A) rpc.Work {
		return s.changing(func(ctx context.Context, arrival *workspace.Turn) (*transaction.Result, error) {
			return run(s.session, ctx, arrival, name, args)
		})
	})
}

// editsText handles the calls of a command that edits one text: A says which, and plans the edit.
func editsText[A commands.Edit]() handler {
	return changes(func(s *transaction.Session, ctx context.Context, arrival *workspace.Turn, name string, args A) (*transaction.Result, error) {
		return s.Edit(ctx, arrival, name, args)
	})
}

// changing takes a turn now, and returns the work of a command that changes texts in that turn.
func (s *caller) changing(run func(ctx context.Context, arrival *workspace.Turn) (*transaction.Result, error)) rpc.Work {
	turn := s.editing.Arrivals.Take()
	return func(ctx context.Context) (any, error) {
		defer turn.Done()
		return run(ctx, turn)
	}
}

// imitates handles the calls of a reference tool. A declares its arguments; parse reads them, on the
// reading goroutine, into a [reference.Call].
func imitates[A any](parse func(arguments []jsontext.Value) (*reference.Call, error)) handler {
	return handler{reflect.ValueOf(defaults[A]()), func(s *caller, name string, arguments []jsontext.Value) (rpc.Work, error) {
		call, err := parse(arguments)
		if err == nil && call.Edit != nil {
			err = s.Limits().Check(call.Edit.Edit)
		}
		if err != nil {
			return nil, err
		}
		if call.Read != nil {
			return s.reading(func(context.Context) (any, error) {
				r, err := call.Read(reference.Session{Workspace: s.workspace(), Read: s.engine.Read, Ledger: s.session.Ledger, Room: page.Room(s.called())})
				return r, call.Refused(err)
			}), nil
		}
		return s.changing(func(ctx context.Context, arrival *workspace.Turn) (*transaction.Result, error) {
			r, err := s.change(ctx, arrival, name, call)
			return r, call.Refused(err)
		}), nil
	}}
}

// change runs a call that changes a text.
func (s *caller) change(ctx context.Context, arrival *workspace.Turn, name string, call *reference.Call) (*transaction.Result, error) {
	if call.Edit != nil {
		return s.session.Edit(ctx, arrival, name, call.Edit)
	}
	u := call.Undo
	return s.session.UndoAs(ctx, arrival, name, transaction.UndoArgs{Path: u.Path, EditOptions: u.Options}, func(r *transaction.Result) string {
		return u.Report(r.Files[0].Snippet)
	})
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
func revert(s *caller, name string, args revertArgs) rpc.Work {
	return s.changing(func(ctx context.Context, arrival *workspace.Turn) (*transaction.Result, error) {
		named, err := args.Checked(name)
		if err != nil {
			return nil, err
		}
		var parts []review.Part
		return s.session.TakeBack(ctx, arrival, transaction.TakingBack{
			Command: name, UndoArgs: transaction.UndoArgs{EditID: named.EditID, Path: named.Path, EditOptions: args.EditOptions},
			Parts: func(place paths.Target) (_ []review.Part, err error) {
				parts, err = s.editLog.Parts(s.docs, named, place)
				return parts, err
			},
			Words: func(res *transaction.Result) string {
				return fmt.Sprintf("Reverted %s in %s.", named.Words(parts), edits.Listed(res.Paths()))
			},
		})
	})
}

// applyDocument applies the patches that a document holds. The rev in args is the rev of that
// document, since the hunks are counted in it.
func applyDocument(s *caller, _ string, args patchdoc.Args) rpc.Work {
	return s.changing(func(ctx context.Context, turn *workspace.Turn) (*transaction.Result, error) {
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
		return s.session.ApplyPatch(ctx, turn, patchdoc.Command, func() (patch.Patch, error) { return sent, nil }, place.Options{}, args.EditOptions)
	})
}
