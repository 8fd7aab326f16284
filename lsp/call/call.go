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

// Call is a command from its arrival until its answer, as the log knows it: what is logged
// under a context that carries it says which one it is about. It is safe for concurrent use,
// and nil stands for work that belongs to no command.
type Call struct {
	Name    string // unique among all servers: the process's id and a number
	agent   string // as it calls itself
	command string
	Began   time.Time
	edit    atomic.Pointer[string] // what the command's edit is called, once it is
	tries   atomic.Int32           // edits that were sent to the editor
}

// calls counts those of all servers in this process.
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

// Under returns ctx as one that carries the call.
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

// Made says what the command's edit is called.
func (c *Call) Made(edit string) {
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

// Attrs are what every record about the command says.
func (c *Call) Attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("call", c.Name), slog.String("agent", c.agent), slog.String("command", c.command)}
	if id := c.edit.Load(); id != nil {
		attrs = append(attrs, slog.String("edit", *id))
	}
	return attrs
}

// Answered logs how the command of a context ended, which is the one thing that is logged of it
// unless steps are wanted.
func Answered(ctx context.Context, log *slog.Logger, err error) {
	c := Of(ctx)
	attrs := []slog.Attr{slog.Duration("took", time.Since(c.Began).Round(time.Microsecond)), slog.Int("sent", int(c.tries.Load()))}
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
