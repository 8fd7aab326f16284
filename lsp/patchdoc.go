package lsp

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/patchdoc"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// newPatchDocs returns the checker of the patches in the server's documents.
func (s *server) newPatchDocs() *patchdoc.Checker {
	return &patchdoc.Checker{
		Documents: s.docs, Editor: s.client.Load, Client: s.rpc, After: s.opts.After,
		Plan: func() (*patchplan.Plan, func()) {
			ctx, done := s.withTimeout(s.base, s.limitsNow().Wait(bounds.ApplyTimeoutMS))
			return s.self.session.PlanIn(edits.NewWork(ctx.Err), place.Options{}, nil), done
		},
	}
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
