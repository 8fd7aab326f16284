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

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// Call is a command from its arrival until its answer, for the log: a record that is logged
// under a context with a Call says which Call it is about. A Call is safe for concurrent
// use, and nil stands for work that belongs to no command.
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
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, c)
}

// Of returns the call that a context carries, nil if it carries none.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(key{}).(*Call)
	return c
}

// SetEdit records the id of the command's edit.
func (c *Call) SetEdit(edit string) {
	if c != nil {
		c.edit.Store(&edit)
	}
}

// Send counts an edit that goes to the editor, and returns its number.
func (c *Call) Send() int32 {
	if c == nil {
		return 0
	}
	return c.tries.Add(1)
}

// Attrs returns the attributes of every record about the command.
func (c *Call) Attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("call", c.Name), slog.String("agent", c.agent), slog.String("command", c.command)}
	if id := c.edit.Load(); id != nil {
		attrs = append(attrs, slog.String("edit", *id))
	}
	return attrs
}

// Answered logs how the command of a context ended. It is the only record of a command,
// unless steps are logged too.
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
	line, _, _ := strings.Cut(err.Error(), "\n")
	attrs := []slog.Attr{slog.String("kind", kindOf(err)), slog.String("error", paths.OneLine(line, maxName))}
	if path := editor.Failure(err).Path; path != "" {
		attrs = append(attrs, slog.String("path", path))
	}
	return attrs
}

// kindOf returns the kind of an error as answers have it, or another word if it has none.
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
