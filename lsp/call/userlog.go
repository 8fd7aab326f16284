package call

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.lsp.dev/protocol"
)

// UserLog is a log whose warnings are also sent to the user. Records of a logger that
// [slog.Logger.With] returned are not sent.
type UserLog struct {
	slog.Handler
	// Tell sends the user a line, by a method of LSP.
	Tell func(method string, kind protocol.MessageType, message string)
}

// Enabled reports whether records of a level are logged, or sent to the user.
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

// line returns a record as one line, without the stack of a goroutine, which is for the
// server's own log.
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
