package apply_test

import (
	"context"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/host"
)

// What a command that sent nothing is told depends on why its context has ended.
func TestNotSent(t *testing.T) {
	for cause, want := range map[error]edits.Kind{
		context.DeadlineExceeded: edits.TimedOut, context.Canceled: edits.Cancelled, host.ErrGone: edits.EditorGone,
	} {
		base, end := context.WithCancelCause(t.Context())
		command, cancel := context.WithCancel(base)
		end(cause)
		if err := apply.NotSent(command, "other edits went first"); !edits.IsKind(err, want) {
			t.Errorf("after %v: %v, want %s", cause, err, want)
		}
		cancel()
	}
}
