package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace/paths"
)

// journey is a command from its arrival until its answer, as the log knows it: what is
// logged under a context that carries it says which one it is about. It is safe for
// concurrent use, and nil is the journey of what is no command.
type journey struct {
	call    string // unique among all servers: the process's id and a number
	agent   string // as it calls itself
	command string
	began   time.Time
	edit    atomic.Pointer[string] // what the command's edit is called, once it is
	tries   atomic.Int32           // edits that were sent to the editor
}

// journeys counts those of all servers in this process.
var journeys atomic.Int64

func (s *caller) newCall(command string) *journey {
	return &journey{
		call:  fmt.Sprintf("%d-%d", os.Getpid(), journeys.Add(1)),
		agent: paths.OneLine(s.called(), maxAgentName), command: paths.OneLine(command, maxAgentName), began: time.Now(),
	}
}

type journeyKey struct{}

// under returns ctx as one that carries the journey.
func (j *journey) under(ctx context.Context) context.Context {
	if j == nil {
		return ctx
	}
	return context.WithValue(ctx, journeyKey{}, j)
}

func journeyOf(ctx context.Context) *journey {
	j, _ := ctx.Value(journeyKey{}).(*journey)
	return j
}

// made says what the command's edit is called.
func (j *journey) made(edit string) {
	if j != nil {
		j.edit.Store(&edit)
	}
}

// sent counts an edit that goes to the editor, and returns its number.
func (j *journey) sent() int32 {
	if j == nil {
		return 0
	}
	return j.tries.Add(1)
}

// attrs are what every record about the command says.
func (j *journey) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("call", j.call), slog.String("agent", j.agent), slog.String("command", j.command)}
	if id := j.edit.Load(); id != nil {
		attrs = append(attrs, slog.String("edit", *id))
	}
	return attrs
}

// arrived logs that the command is there.
func (s *server) arrived(ctx context.Context) { s.log.DebugContext(ctx, "arrived") }

// answered logs how the command ended, which is the one thing that is logged of it
// unless steps are wanted.
func (s *server) answered(ctx context.Context, err error) {
	j := journeyOf(ctx)
	attrs := []slog.Attr{slog.Duration("took", time.Since(j.began).Round(time.Microsecond)), slog.Int("sent", int(j.tries.Load()))}
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
	var broken *fault
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

// planned logs what is about to be done.
func (s *server) planned(ctx context.Context, j *apply.Change) {
	s.log.DebugContext(ctx, "planned", "path", j.Path, "change", j.Kind, "edits", len(j.Plan.Edits))
}
