package call

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// UserLog is a log whose warnings the user is told as well.
type UserLog struct {
	slog.Handler
	// Tell tells the user a line, by a method of LSP.
	Tell  func(method string, kind protocol.MessageType, message string)
	attrs []slog.Attr // that the log always says
}

// WithAttrs returns the log as one that always says attrs.
func (l UserLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.Handler, l.attrs = l.Handler.WithAttrs(attrs), slices.Concat(l.attrs, attrs)
	return l
}

// WithGroup returns the log as one in which all that follows is part of a group. The user is
// not told of groups.
func (l UserLog) WithGroup(name string) slog.Handler {
	l.Handler = l.Handler.WithGroup(name)
	return l
}

// Enabled reports whether anybody is told of a level.
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
		l.Tell(protocol.MethodWindowLogMessage, kind, l.line(r))
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
func (l UserLog) line(r slog.Record) string {
	var b strings.Builder
	b.WriteString(r.Message)
	add := func(a slog.Attr) bool {
		if a.Key != "stack" {
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	return b.String()
}
