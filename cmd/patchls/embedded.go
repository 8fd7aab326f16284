package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// embeddedEditor is the headless editor with a server of its own. It is used if there is no live editor. Its commands run
// one after the other, in the order in which they come. It is safe for concurrent use.
type embeddedEditor struct {
	*headless.Editor
	find *agent.Finder   // finds the editors that may have a file open; nil asks none
	ctx  context.Context // of the editor's lifetime

	// saves says that after each edit its files are saved and all buffers are closed, so that the next
	// command reads the files from disk. "save" in the arguments does the same for one command.
	saves bool

	commands workspace.Queue
}

// embedded starts an embedded editor in the folder root, with a server of these options. The editor
// saves no file that a live editor has open. Closing it also ends the server.
func embedded(ctx context.Context, root string, find *agent.Finder, server lsp.Options) (*embeddedEditor, error) {
	server.Version, server.EditTag = version(), editTag()
	served, client := net.Pipe()
	go func() { _ = lsp.Serve(ctx, served, server) }()
	e := &embeddedEditor{find: find, ctx: ctx}
	opts := headless.Options{Roots: []string{root}, Disk: disk.Disk{Root: root, AllowSave: e.maySave}}
	if find != nil && find.Log != nil {
		opts.Disk.Recovered = func(what string) { find.Log.Warn("another process left a save behind", "what", what) }
	}
	var err error
	e.Editor, err = headless.Start(ctx, client, opts)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Execute implements [agent.Editor].
func (e *embeddedEditor) Execute(ctx context.Context, call agent.Call) (json.RawMessage, error) {
	turn := e.commands.Take()
	defer turn.Done()
	if call.OnSend != nil {
		call.OnSend()
	}
	if err := turn.Wait(ctx); err != nil {
		return nil, err
	}
	if asked := takeSave(&call); !asked && !e.saves {
		return e.execute(ctx, call)
	}
	done := disk.Disk{}.Turn(ctx) // waits for another patchls that may edit the same file
	defer done()
	// The command can no longer be cancelled: the next command would find the half of an edit
	// in the buffers, and save it. The command ends soon by itself.
	ctx = context.WithoutCancel(ctx)
	raw, err := e.execute(ctx, call)
	var edit transaction.Result
	if err == nil && (json.Unmarshal(raw, &edit) != nil || !edit.Applied || call.Command == "save") {
		return raw, nil // it edited nothing
	}
	defer e.Discard() // including buffers that a failed command has opened
	if err != nil {
		return nil, err
	}
	if err := e.saveFiles(&edit); err != nil {
		return nil, e.takenBack(ctx, edit, err)
	}
	return json.Marshal(edit)
}

// takeSave removes "save" from the arguments of an editing command, and reports whether it was true. The server
// would save the files one at a time, and would not save those that had unsaved text before.
func takeSave(call *agent.Call) bool {
	if !lsp.Edits(call.Command) || call.Command == "save" {
		return false
	}
	raw, err := json.Marshal(call.Arguments)
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &members) != nil || string(members["save"]) != "true" {
		return false
	}
	delete(members, "save")
	call.Arguments = members
	return true
}

func (e *embeddedEditor) execute(ctx context.Context, call agent.Call) (json.RawMessage, error) {
	if call.Arguments == nil {
		call.Arguments = struct{}{}
	}
	return e.Editor.Execute(ctx, "patchls."+call.Command, call.Arguments)
}

// takenBack undoes an edit that could not be saved, and returns the error of the command.
func (e *embeddedEditor) takenBack(ctx context.Context, edit transaction.Result, err error) error {
	if edit.EditID != "" {
		undo := agent.Call{Command: "undo", Arguments: map[string]any{"edit_id": edit.EditID}}
		if _, undone := e.execute(ctx, undo); undone != nil {
			err = errors.Join(err, undone)
		}
	}
	if plain, ok := errors.AsType[failed](err); ok {
		return &jsonrpc2.Error{Code: jsonrpc2.InternalError, Message: plain.Error()}
	}
	return err
}

// Close ends the editor. Unsaved text is lost.
func (e *embeddedEditor) Close() error {
	turn := e.commands.Take()
	defer turn.Done()
	_ = turn.Wait(context.Background()) // a Background context never ends, so there is no error
	return e.Editor.Close()
}

// saveFiles saves the files of a result, and removes deleted ones from disk. If one of them
// cannot be saved, or a live editor has it open, none is.
func (e *embeddedEditor) saveFiles(r *transaction.Result) error {
	uris := lists.Map(r.Files, func(f transaction.FileResult) string { return f.URI })
	return saved(r, e.SaveAll(uris...))
}

// saved marks the files of a result as saved, or returns why they were not.
func saved(r *transaction.Result, err error) error {
	switch {
	case errors.Is(err, disk.ErrNotDurable):
		r.Notes = append(r.Notes, err.Error())
	case err != nil:
		return refusedSave(r.Files, err)
	}
	for i := range r.Files {
		r.Files[i].Saved, r.Files[i].Dirty = true, false
		r.Notes = slices.DeleteFunc(r.Notes, func(note string) bool { return note == transaction.NotOnDisk(r.Files[i].Path) })
	}
	return nil
}

// refusedSave returns the error of an edit that was not saved: a command error as in the
// contract if nothing on disk was changed, else a [failed].
func refusedSave(files []transaction.FileResult, err error) error {
	of, _ := errors.AsType[*headless.SaveError](err)
	i := slices.IndexFunc(files, func(f transaction.FileResult) bool { return of != nil && f.URI == of.URI })
	if i < 0 {
		return failed{err}
	}
	path := files[i].Path
	if _, half := errors.AsType[*disk.HalfSavedError](err); half {
		return failed{fmt.Errorf("the edit of %s was not saved: %w", path, err)}
	}
	if _, changed := errors.AsType[*disk.ChangedError](err); changed || errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%w; send the command again", err)
	}
	return transaction.CommandError(&edits.Error{Kind: edits.Rejected, Path: path, Message: fmt.Sprintf(
		"The edit of %s was not saved, and nothing on disk was changed: %s.", path, strings.TrimSuffix(err.Error(), "."))}, nil)
}

// maySave returns an error if a live editor has the file at path open.
func (e *embeddedEditor) maySave(path string) error {
	if e.find == nil {
		return nil
	}
	if e.ctx.Err() != nil { // no editor can be asked any more
		return errInterrupted
	}
	return e.find.MayWrite(e.ctx, path)
}
