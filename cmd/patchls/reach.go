package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// reach connects commands to live editors, or to the embedded editor if there is none.
type reach struct {
	// The flags. open makes root absolute; with save, the embedded editor saves after each command.
	root, editor      string
	save, json, quiet bool

	// saveAlone has the embedded editor save after each command, also without save; noSave shows what it edits and loses it.
	saveAlone, noSave bool
	exact             bool // the names in diffs of git are counted from root, and not from the top of its work tree

	pid  int             // of the editor in --editor, 0 for none
	ctx  context.Context // of the embedded editor
	find *agent.Finder

	mu  sync.Mutex
	own *embeddedEditor
}

func (r *reach) addFlags(cmd *cobra.Command) {
	r.addEditorFlags(cmd, autoEditor)
	cmd.Flags().BoolVar(&r.save, "save", false, "save the edited files, with all unsaved text in them")
	cmd.Flags().BoolVar(&r.json, "json", false, "print the result or the error as JSON")
}

func (r *reach) addEditorFlags(cmd *cobra.Command, editor string) {
	cmd.Flags().StringVar(&r.root, "root", ".", "folder that relative paths start from")
	cmd.Flags().StringVar(&r.editor, "editor", editor,
		"editor to use: live, one that has the file or folder open; auto, that or else\nthe embedded one; headless, the embedded one; or a pid from patchls editors")
	// Neither can fail: the flag exists.
	_ = cmd.RegisterFlagCompletionFunc("editor", cobra.FixedCompletions([]cobra.Completion{liveEditor, autoEditor, headlessEditor}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("root")
}

// The values of --editor that are no pid.
const (
	liveEditor     = "live"
	autoEditor     = "auto"
	headlessEditor = "headless"
)

// finder returns a finder of live editors for a command that runs in root.
func finder(std streams, root string) *agent.Finder {
	return &agent.Finder{
		Client: agent.ClientInfo{Name: "patchls", Version: version(), Root: root},
		Log:    slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// open makes r ready for use, once the flags are read. An error is about the command line.
func (r *reach) open(ctx context.Context, std streams) error {
	root, err := filepath.Abs(r.root)
	if err != nil {
		return err
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return fmt.Errorf("--root: %s is not a folder", r.root)
	}
	r.root, r.ctx, r.find = root, ctx, finder(std, root)
	r.find.Client.Exact = r.exact
	if !slices.Contains([]string{liveEditor, autoEditor, headlessEditor}, r.editor) {
		if r.pid, err = strconv.Atoi(r.editor); err != nil || r.pid <= 0 {
			return fmt.Errorf("--editor is live, auto, headless or a pid, not %q", r.editor)
		}
	}
	return nil
}

// live returns the live editor for a command, and how many others might have been meant. The error is
// [agent.ErrNoEditor] if there is none, or if --editor asks for the embedded one.
func (r *reach) live(ctx context.Context, about agent.About) (c *agent.Conn, rivals int, err error) {
	switch {
	case r.pid != 0:
		c, err = r.find.ByPID(ctx, r.pid, r.root, about)
		return c, 0, err
	case r.editor == headlessEditor:
		return nil, 0, agent.ErrNoEditor
	}
	return r.find.Find(ctx, r.root, about)
}

// connect returns the editor for a command, and how many other live ones might have been meant. It belongs to r.
func (r *reach) connect(ctx context.Context, about agent.About) (e agent.Editor, rivals int, err error) {
	live, rivals, err := r.live(ctx, about)
	switch {
	case err == nil:
		return live, rivals, nil
	case !errors.Is(err, agent.ErrNoEditor) || ctx.Err() != nil:
		return nil, 0, err
	case r.pid != 0:
		return nil, 0, fmt.Errorf("%w; patchls editors lists those that can be reached", err)
	case r.editor == liveEditor:
		why, fix := r.lacking(ctx, r.find.Inspect())
		return nil, 0, fmt.Errorf("nothing was done, since %s; to fix that, %s", why, fix)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own == nil {
		folder, opts := r.root, lsp.Options{}
		if top := paths.WorkTree(r.root); about.Git && !r.exact && top != "" {
			folder, opts.Folder = top, r.root
		}
		if r.own, err = embedded(r.ctx, folder, r.find, opts); err != nil {
			return nil, 0, err
		}
		r.own.saves = r.save || r.saveAlone
	}
	return r.own, 0, nil
}

func (r *reach) close() {
	r.find.Close()
	if r.own != nil {
		_ = r.own.Close() // the user has left, or was told what is lost
	}
}

// run runs a command in the editor for what it is about. If there is none, it shows why.
func (r *reach) run(ctx context.Context, std streams, about agent.About, command func(agent.Editor) error) error {
	if err := r.open(ctx, std); err != nil {
		return show(std, r.json, err)
	}
	defer r.close()
	e, _, err := r.connect(ctx, about)
	_, refused := errors.AsType[*jsonrpc2.Error](err)
	switch {
	case ctx.Err() != nil:
		return show(std, r.json, failed{errInterrupted})
	case refused:
		return show(std, r.json, err)
	case err != nil:
		return show(std, r.json, failed{err})
	}
	return command(e)
}

// The errors of a command that the user has interrupted.
var (
	errInterrupted = errors.New("interrupted before anything was done")
	errUnknown     = errors.New("interrupted; the editor may have done it, and may not")
)

// execute runs one command. An error that is not an answer of the server, such as an interrupt, is a [failed].
func execute(ctx context.Context, e agent.Editor, command string, args any) (json.RawMessage, error) {
	raw, err := e.Execute(ctx, agent.Call{Command: command, Arguments: args})
	_, answered := errors.AsType[*jsonrpc2.Error](err)
	_, own := e.(*embeddedEditor) // whose buffers end with the command
	switch {
	case err == nil || answered:
		return raw, err
	case ctx.Err() != nil && (own || errors.Is(err, agent.ErrNotSent)):
		err = errInterrupted
	case ctx.Err() != nil:
		err = errUnknown
	}
	return nil, failed{err}
}

// errLost is the error of an edit in a buffer of the embedded editor, if the user has not asked for that editor.
var errLost = errors.New("nothing was done: no live editor takes the edit, and without one it ends with this command; " +
	"add --save to write the file on disk, or --editor headless to see the edit and write nothing")

// unsaved is the note of an edit in a buffer of the embedded editor that is about to be lost.
const unsaved = "Not saved: the edit is in a buffer of the embedded editor, which ends with this command; add --save to write it to disk."

// execute runs one editing command and, with --save, saves its files. If a live editor did not
// save, the edit is still in its buffers, and execute returns both the result and the error.
func (r *reach) execute(ctx context.Context, e agent.Editor, command string, args any) (*transaction.Result, error) {
	call := agent.Call{Command: command, Arguments: args}
	if r.save {
		takeSave(&call) // --save does more than the argument
	}
	raw, err := execute(ctx, e, command, call.Arguments)
	if err != nil {
		return nil, err
	}
	var result transaction.Result
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, failed{err}
	}
	live, isLive := e.(*agent.Conn)
	switch {
	case !result.Applied || command == "save": // nothing was edited
	case isLive:
		if r.save {
			err = saveLive(ctx, e, &result)
		}
		if err == nil { // else the error says what was saved
			result.Notes = append(result.Notes, whereEdited(live, result.Files))
		}
	case slices.ContainsFunc(result.Files, isUnsaved) && r.editor == autoEditor && !r.noSave:
		return nil, failed{errLost}
	case slices.ContainsFunc(result.Files, isUnsaved):
		result.Notes = append(result.Notes, unsaved)
	}
	return &result, err
}

// isUnsaved reports whether the edit of a file is in a buffer alone.
func isUnsaved(f transaction.FileResult) bool { return !f.Saved }

// whereEdited says in which editor the files of a result are, and whether those are saved that are not deleted.
func whereEdited(live *agent.Conn, files []transaction.FileResult) string {
	left := func(f transaction.FileResult) bool { return f.Change != "delete" }
	n, unsaved := lists.Count(files, left), lists.Count(files, func(f transaction.FileResult) bool { return left(f) && isUnsaved(f) })
	state := "saved"
	switch {
	case n == 0:
		return "In " + live.Live().Title() + "."
	case unsaved == n:
		state = "unsaved"
	case unsaved > 0:
		state = fmt.Sprintf("%d of them unsaved", unsaved)
	}
	return fmt.Sprintf("In %s of %s, %s.", edits.Count(n, "buffer"), live.Live().Title(), state)
}

// saveLive makes a live editor save the files of a result. Deleted files are left out, since the
// editor deletes and renames files on disk by itself.
func saveLive(ctx context.Context, e agent.Editor, r *transaction.Result) error {
	uris := lists.FilterMap(r.Files, func(f transaction.FileResult) (string, bool) { return f.URI, f.Change != "delete" })
	if len(uris) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return failed{errors.New("interrupted before it was saved; the edit is in the editor's buffer")}
	}
	raw, err := execute(ctx, e, "save", map[string]any{"paths": uris})
	if err != nil {
		return err
	}
	var saved transaction.Result
	if err := json.Unmarshal(raw, &saved); err != nil {
		return failed{err}
	}
	for _, s := range saved.Files {
		for i, f := range r.Files {
			if f.URI != s.URI {
				continue
			}
			if r.Files[i].Saved, r.Files[i].Dirty = s.Saved, s.Dirty; !s.Saved {
				err = failed{fmt.Errorf("the editor has said that it saved %s, and the file has another text", f.Path)}
			}
			r.Notes = slices.DeleteFunc(r.Notes, func(note string) bool { return s.Saved && note == transaction.NotOnDisk(f.Path) })
		}
	}
	return err
}

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
	uris := lists.Map(edit.Files, func(f transaction.FileResult) string { return f.URI })
	if err := saved(&edit, e.SaveAll(uris...)); err != nil { // all of them or none; deleted files are removed from disk
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
	return transaction.CommandError(edits.ErrorIn(edits.Rejected, path, "The edit of %s was not saved, and nothing on disk was changed: %s.", path, strings.TrimSuffix(err.Error(), ".")), nil)
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
