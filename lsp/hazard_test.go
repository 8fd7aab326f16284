package lsp_test

import (
	"context"

	"github.com/patchls/patchls/editors/headless"
)

// The tests TestHazard01 to TestHazard46 reproduce what clients do with an edit of
// a server: the numbered list of editor-clients.md part b, of which each number is
// a requirement. They are in files by its groups.

// silence answers no applyEdit, and does nothing.
func silence(ctx context.Context, _ *headless.Editor, _ *applyParams, _ applyNext) (applyResult, error) {
	<-ctx.Done()
	return applyResult{}, ctx.Err()
}
