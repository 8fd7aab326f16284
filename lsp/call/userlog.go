package call

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.lsp.dev/protocol"
)

// UserLog is a log whose warnings the user is told as well. What is logged by a logger that
// [slog.Logger.With] returns they are not told.
type UserLog struct {
	slog.Handler
	// Tell tells the user a line, by a method of LSP.
	Tell func(method string, kind protocol.MessageType, message string)
}

// Enabled reports whether records of a level are logged, or told the user.
func (l UserLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || l.Handler.Enabled(ctx, level)
}

// Handle logs a record, with the command that it is about.
func (l UserLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		kind := protocol.MessageTypeWarning
		if r.Level >= slog.LevelError {
			kind = protocol.MessageTypeError
		}
		l.Tell(protocol.MethodWindowLogMessage, kind, line(r))
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	if c := Of(ctx); c != nil {
		r = r.Clone()
		r.AddAttrs(c.Attrs()...)
	}
	return l.Handler.Handle(ctx, r)
}

// line returns a record as a line, without what a stack of goroutines says: that is for
// the server's own log.
func line(r slog.Record) string {
	var b strings.Builder
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "stack" {
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
		return true
	})
	return b.String()
}
