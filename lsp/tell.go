package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace/paths"
)

// The user is told of what goes on: in the editor's log of edits and of warnings, and
// by a message where nobody but they can act. Whoever tells does not wait for the editor,
// which may be waiting for the server.

// telling is a notification for the user.
type telling struct {
	method string // window/logMessage or window/showMessage
	params *protocol.ShowMessageParams
}

// maxOutbox is how many notifications may wait. More are dropped.
const maxOutbox = 100

// tellAll sends what there is to tell, in its order, while the connection lasts.
func (s *server) tellAll(ctx context.Context) {
	for {
		select {
		case t := <-s.tellings:
			s.rpc.Notify(t.method, t.params)
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) tellUser(method string, kind protocol.MessageType, message string) {
	select {
	case s.tellings <- telling{method, &protocol.ShowMessageParams{Type: kind, Message: paths.OneLine(message, paths.MaxShownMessage)}}:
	default:
	}
}

// logDone has the editor's log say what the caller did.
func (s *caller) logDone(what string) {
	by := review.Author(s.called())
	s.tellUser(protocol.MethodWindowLogMessage, protocol.MessageTypeInfo, by+": "+what)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// warnOf shows the user an edit of which nobody knows what became of it: only they can
// see whether their text is as it should be.
func (s *caller) warnOf(err error) {
	if !edits.IsKind(err, editor.NotSettled) {
		return
	}
	what := "an edit"
	if path := editor.Failure(err).Path; path != "" {
		what += " of " + paths.OneLine(path, paths.MaxShownPath)
	}
	s.tellUser(protocol.MethodWindowShowMessage, protocol.MessageTypeWarning, fmt.Sprintf(
		"patchls could not verify %s by %s: please look whether the text is as it should be.", what, review.Author(s.called())))
}

// userLog is a log whose warnings the user is told as well.
type userLog struct {
	slog.Handler
	tell  func(method string, kind protocol.MessageType, message string)
	attrs []slog.Attr // that the log always says
}

// WithAttrs returns the log as one that always says attrs.
func (l userLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.Handler, l.attrs = l.Handler.WithAttrs(attrs), slices.Concat(l.attrs, attrs)
	return l
}

// WithGroup returns the log as one in which all that follows is part of a group. The user is
// not told of groups.
func (l userLog) WithGroup(name string) slog.Handler {
	l.Handler = l.Handler.WithGroup(name)
	return l
}

// Enabled reports whether anybody is told of a level.
func (l userLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || l.Handler.Enabled(ctx, level)
}

// Handle logs a record, with the command that it is about.
func (l userLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		kind := protocol.MessageTypeWarning
		if r.Level >= slog.LevelError {
			kind = protocol.MessageTypeError
		}
		l.tell(protocol.MethodWindowLogMessage, kind, l.line(r))
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	if c := call.Of(ctx); c != nil {
		r = r.Clone()
		r.AddAttrs(c.Attrs()...)
	}
	return l.Handler.Handle(ctx, r)
}

// line returns a record as a line, without what a stack of goroutines says: that is for
// the server's own log.
func (l userLog) line(r slog.Record) string {
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
