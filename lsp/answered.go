package lsp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// arrived logs that the command is there.
func (s *server) arrived(ctx context.Context) { s.log.DebugContext(ctx, "arrived") }

// answered logs how the command ended, which is the one thing that is logged of it
// unless steps are wanted.
func (s *server) answered(ctx context.Context, err error) {
	c := call.Of(ctx)
	attrs := []slog.Attr{slog.Duration("took", time.Since(c.Began).Round(time.Microsecond)), slog.Int("sent", c.Sent())}
	if err != nil {
		attrs = append(attrs, failureAttrs(err)...)
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "answered", attrs...)
}

// failureAttrs says what kind of failure err is.
func failureAttrs(err error) []slog.Attr {
	attrs := []slog.Attr{slog.String("kind", kindOf(err)), slog.String("error", paths.OneLine(firstLine(err.Error()), maxAgentName))}
	if path := editor.Failure(err).Path; path != "" {
		attrs = append(attrs, slog.String("path", path))
	}
	return attrs
}

// kindOf returns the kind of an error as answers have it, or what there is instead.
func kindOf(err error) string {
	var broken *rpc.FaultError
	switch {
	case errors.As(err, &broken):
		return "internal"
	case errors.Is(err, context.Canceled):
		return string(editor.Cancelled)
	}
	if full, ok := errors.AsType[*edits.Error](err); ok {
		return string(full.Kind)
	}
	return "other"
}
