package call

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// Answered logs how the command of a context ended, which is the one thing that is logged of it
// unless steps are wanted.
func Answered(ctx context.Context, log *slog.Logger, err error) {
	c := Of(ctx)
	attrs := []slog.Attr{slog.Duration("took", time.Since(c.Began).Round(time.Microsecond)), slog.Int("sent", c.Sent())}
	if err != nil {
		attrs = append(attrs, failureAttrs(err)...)
	}
	log.LogAttrs(ctx, slog.LevelInfo, "answered", attrs...)
}

// failureAttrs says what kind of failure err is.
func failureAttrs(err error) []slog.Attr {
	line, _, _ := strings.Cut(err.Error(), "\n")
	attrs := []slog.Attr{slog.String("kind", kindOf(err)), slog.String("error", paths.OneLine(line, maxName))}
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
