package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/lsp"
)

// embeddedEditor is the headless editor with a server of its own, for when no live
// editor is there.
type embeddedEditor struct {
	*headless.Editor
	find *agent.Finder // nil: nobody else is looked for
	ctx  context.Context

	mu      sync.Mutex
	changed chan struct{}
	closed  bool
}

// embedded starts one in the folder root. It saves no file that a live editor has
// open. Closing it ends the server as well.
func embedded(ctx context.Context, root string, find *agent.Finder) (*embeddedEditor, error) {
	server, client := net.Pipe()
	go func() { _ = lsp.Serve(ctx, server, lsp.Options{Version: version()}) }()
	e := &embeddedEditor{find: find, ctx: ctx, changed: make(chan struct{}, 1)}
	opts := headless.Options{Roots: []string{root}, OnlyRoots: true, AllowSave: e.maySave}
	if find != nil && find.Log != nil {
		opts.Recovered = func(what string) { find.Log.Warn("another process left a save behind", "what", what) }
	}
	var err error
	e.Editor, err = headless.Start(ctx, client, opts)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Execute implements [agent.Editor], but that it does not know when a command has its
// place.
func (e *embeddedEditor) Execute(ctx context.Context, call agent.Call) (json.RawMessage, error) {
	args := call.Arguments
	if args == nil {
		args = struct{}{}
	}
	raw, err := e.Editor.Execute(ctx, "patchls."+call.Command, args)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		select {
		case e.changed <- struct{}{}:
		default:
		}
	}
	return raw, err
}

// Changed implements [agent.Editor].
func (e *embeddedEditor) Changed() <-chan struct{} { return e.changed }

// Close implements [agent.Editor]. What is not saved is gone.
func (e *embeddedEditor) Close() error {
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.changed)
	}
	e.mu.Unlock()
	return e.Editor.Close()
}

// openElsewhereError is why the embedded editor does not write a file.
type openElsewhereError struct {
	path string
	in   agent.Entry
}

func (o *openElsewhereError) Error() string {
	name := o.in.Name
	if name == "" {
		name = "another editor"
	}
	return fmt.Sprintf("%s (pid %d) has it open, so it is not written to disk; edit it there, with --editor %d", name, o.in.PID, o.in.PID)
}

func (e *embeddedEditor) maySave(path string) error {
	if e.find == nil {
		return nil
	}
	if e.ctx.Err() != nil { // nobody can be asked any more
		return errInterrupted
	}
	if in, open := e.find.HasOpen(e.ctx, path); open {
		return &openElsewhereError{path, in}
	}
	return nil
}
