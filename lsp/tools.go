package lsp

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// imitates handles the calls of a reference tool. A declares its arguments; parse reads them, on the
// reading goroutine, into a [reference.Call].
func imitates[A any](parse func(arguments []jsontext.Value) (*reference.Call, error)) handler {
	return handler{reflect.ValueOf(defaults[A]()), func(s *caller, name string, arguments []jsontext.Value) (rpc.Work, error) {
		call, err := parse(arguments)
		if err == nil && call.Edit != nil {
			err = s.limitsNow().Check(call.Edit.Edit)
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
