package lsp

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// tool declares the command of a reference tool. A declares its arguments; parse
// reads them, on the reading goroutine, into a [reference.Call].
func tool[A any](name, title, doc string, changes bool, parse func(arguments []json.RawMessage) (*reference.Call, error)) Command {
	if changes {
		doc += inBuffer
	}
	return Command{
		Name: name, Title: title, Doc: doc, Edits: changes, arguments: reflect.ValueOf(defaults[A]()),
		start: func(s *caller, arguments []json.RawMessage) (rpc.Work, error) {
			call, err := parse(arguments)
			if err == nil && call.Edit != nil {
				err = s.limitsNow().Check(call.Edit)
			}
			if err != nil {
				return nil, err
			}
			if call.Read != nil {
				return func(ctx context.Context) (any, error) {
					return s.withShare(ctx, func() (any, error) {
						r, err := call.Read(s.session.ToolSession())
						return r, call.Refused(err)
					})
				}, nil
			}
			turn := s.editing.Arrivals.Take()
			return func(ctx context.Context) (any, error) {
				defer turn.Done()
				r, err := s.change(ctx, turn, name, call)
				return r, call.Refused(err)
			}, nil
		},
	}
}

// change runs a call that changes a text.
func (s *caller) change(ctx context.Context, arrival *workspace.Turn, name string, call *reference.Call) (*transaction.Result, error) {
	if call.Edit != nil {
		return s.session.Edit(ctx, arrival, name, call.Edit)
	}
	u := call.Undo
	return s.session.UndoAs(ctx, arrival, name, transaction.UndoArgs{Path: u.Path, EditOptions: u.Options}, func(r *transaction.Result) string {
		snippet := ""
		if len(r.Files) > 0 {
			snippet = r.Files[0].Snippet
		}
		return u.Said(snippet)
	})
}
