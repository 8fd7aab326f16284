// Package call describes one call of a command for the log, from its arrival to its answer: who called what, which edit it
// made, and how often the editor was asked to make that edit. A context carries the call to the code that logs.
package call

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// Call is a command from its arrival until its answer, for the log: a record that is logged under a context with a Call says
// which Call it is about. A Call is safe for concurrent use.
type Call struct {
	Name    string // unique among all servers: the process's id and a number
	agent   string // as it calls itself
	command string
	Began   time.Time
	edit    atomic.Pointer[string] // the id of the command's edit, once it has one
	tries   atomic.Int32           // edits that were sent to the editor
}

// calls counts the calls of all servers in this process.
var calls atomic.Int64

// New begins a call of a command by an agent.
func New(agent, command string) *Call {
	return &Call{
		Name:  fmt.Sprintf("%d-%d", os.Getpid(), calls.Add(1)),
		agent: paths.OneLine(agent, maxName), command: paths.OneLine(command, maxName), Began: time.Now(),
	}
}

// maxName is how many characters of a name stand in the log.
const maxName = 100

type key struct{}

// Under returns a context that carries the call.
func (c *Call) Under(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// Of returns the call that a context carries, nil if it carries none.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(key{}).(*Call)
	return c
}

// SetEdit records the id of the command's edit.
func (c *Call) SetEdit(edit string) { c.edit.Store(&edit) }

// Send counts an edit that goes to the editor, and returns its number.
func (c *Call) Send() int32 { return c.tries.Add(1) }

// Attrs returns the attributes of every record about the command.
func (c *Call) Attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("call", c.Name), slog.String("agent", c.agent), slog.String("command", c.command)}
	if id := c.edit.Load(); id != nil {
		attrs = append(attrs, slog.String("edit", *id))
	}
	return attrs
}

// Answered logs how the command of a context ended. It is the only record of a command, unless steps are logged too.
func Answered(ctx context.Context, log *slog.Logger, err error) {
	c := Of(ctx)
	attrs := []slog.Attr{slog.Duration("took", time.Since(c.Began).Round(time.Microsecond)), slog.Int("sent", int(c.tries.Load()))}
	if err != nil {
		attrs = append(attrs, failureAttrs(err)...)
	}
	log.LogAttrs(ctx, slog.LevelInfo, "answered", attrs...)
}

// failureAttrs returns the attributes that describe err.
func failureAttrs(err error) []slog.Attr {
	kind, path := "other", ""
	var full *edits.Error
	var broken *rpc.FaultError
	switch {
	case errors.As(err, &broken):
		kind = "internal"
	case errors.Is(err, context.Canceled):
		kind = string(edits.Cancelled)
	case errors.As(err, &full):
		kind, path = string(full.Kind), full.Path
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	attrs := []slog.Attr{slog.String("kind", kind), slog.String("error", paths.OneLine(line, maxName))}
	if path != "" {
		attrs = append(attrs, slog.String("path", path))
	}
	return attrs
}

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

// line returns a record as one line, without the stack of a goroutine, which is for the server's own log.
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
