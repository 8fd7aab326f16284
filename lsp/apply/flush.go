package apply

import (
	"context"

	"go.lsp.dev/protocol"
)

// An editor may hold changes back for a while, and sends them before it asks the
// server for anything. The server makes it ask: it offers diagnostics, of which
// it has none, and says that they are to be asked for anew (hazard: held-back-changes).

// flush makes the client send what it holds back. The channel is closed when it
// has, or has refused to.
func (e *Engine) flush(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	e.Go(func(context.Context) {
		defer close(done)
		if _, err := e.Client.Call(ctx, protocol.MethodWorkspaceDiagnosticRefresh, nil, nil); err != nil {
			e.Log.Debug("refresh", "error", err)
		}
	})
	return done
}
