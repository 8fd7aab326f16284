package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// tool declares the command of a reference tool. A declares its arguments; parse
// reads them, on the reading goroutine, into a [reference.Call].
func tool[A any](name, title, doc string, changes bool, parse func(arguments []json.RawMessage) (reference.Call, error)) Command {
	if changes {
		doc += inBuffer
	}
	return Command{
		Name: name, Title: title, Doc: doc, Edits: changes, arguments: reflect.ValueOf(defaults[A]()),
		start: func(s *caller, arguments []json.RawMessage) (rpc.Work, error) {
			call, err := parse(arguments)
			if err == nil {
				err = s.limitsNow().Check(call)
			}
			if err != nil {
				return nil, err
			}
			if c, ok := call.(reference.Reader); ok {
				return func(ctx context.Context) (any, error) {
					return s.withShare(ctx, func() (any, error) {
						r, err := c.Read(s.session.ToolSession())
						return r, reworded(c, err)
					})
				}, nil
			}
			turn := s.editing.Arrivals.Take()
			return func(ctx context.Context) (any, error) {
				defer turn.Done()
				r, err := s.change(ctx, turn, name, call)
				return r, reworded(call, err)
			}, nil
		},
	}
}

// change runs a call that changes a text.
func (s *caller) change(ctx context.Context, arrival *workspace.Turn, name string, call reference.Call) (*transaction.Result, error) {
	c, ok := call.(reference.Undo)
	if !ok {
		edit, _ := call.(reference.Edit)
		return s.session.Edit(ctx, arrival, name, edit)
	}
	path, options := c.Undo()
	return s.session.UndoAs(ctx, arrival, name, transaction.UndoArgs{Path: path, EditOptions: options}, func(r *transaction.Result) string {
		snippet := ""
		if len(r.Files) > 0 {
			snippet = r.Files[0].Snippet
		}
		return c.Undone(snippet)
	})
}

// reworded returns err in the words of the tool.
func reworded(c reference.Call, err error) error {
	var e *edits.Error
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	return c.Refused(&own)
}
