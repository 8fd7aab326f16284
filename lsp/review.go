package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

func keep(_ context.Context, s *transaction.Session, args review.Args) (any, error) {
	args, err := args.Checked("keep")
	if err != nil {
		return nil, err
	}
	var place paths.Target
	if args.Path != "" {
		if place, err = s.Workspace().Resolve(args.Path); err != nil {
			return nil, err
		}
	}
	parts, err := s.EditLog.Parts(s.Documents, args, place)
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

// reviewLenses returns the lenses of the marks in a document.
func (s *server) reviewLenses(doc *workspace.Document) []editor.Lens {
	if !s.settings.Load().Review.CodeLens {
		return nil
	}
	var diff func(id, path string) any
	if s.client.Load().Plugin.Diff {
		diff = func(id, path string) any { return proposal.SidesOf(id, path) }
	}
	return s.editLog.Lenses(s.docs, doc.Key, diff)
}

// reviewChanged has the editor ask for the code lenses again after agents have changed
// something, or the user has reviewed it. When the user types, editors ask by themselves.
func (s *server) reviewChanged() {
	if s.settings.Load().Review.CodeLens {
		s.refreshLenses()
	}
}

// refreshLenses has the editor ask for the code lenses again, if it can be asked to. It never
// waits.
func (s *server) refreshLenses() {
	if s.client.Load().Display.LensRefresh {
		workspace.Wake(s.lensNews)
	}
}

// sendRefreshes has the editor ask again each time that lensNews has a value: one at a time, since
// an editor may take long to answer.
func (s *server) sendRefreshes(ctx context.Context) {
	rpc.Throttle(ctx, s.lensNews, s.opts.After, newsPause, func() (goOn bool) {
		if _, err := s.conn.Call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil); err != nil {
			s.log.Debug("refresh", "error", err)
		}
		return true
	})
}
