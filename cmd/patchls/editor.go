package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp"
)

// reach says which editor a command works in, and on what.
type reach struct {
	root   string
	editor string
	save   bool
	json   bool
}

func (r *reach) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.root, "root", ".", "the workspace folder")
	cmd.Flags().StringVar(&r.editor, "editor", "auto", "auto, headless, or the pid of a live editor")
	cmd.Flags().BoolVar(&r.save, "save", false, "save the files that were edited")
	cmd.Flags().BoolVar(&r.json, "json", false, "print the result, or the error, as JSON")
}

// connect returns the editor that was asked for. Until live editors can be
// reached, auto is the embedded one.
func (r *reach) connect(ctx context.Context) (*headless.Editor, error) {
	root, err := filepath.Abs(r.root)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--root: %s is not a folder", r.root)
	}
	switch pid, err := strconv.Atoi(r.editor); {
	case err == nil:
		return nil, failed{fmt.Errorf("no editor with pid %d can be reached; use --editor headless for the embedded one", pid)}
	case r.editor != "auto" && r.editor != "headless":
		return nil, fmt.Errorf("--editor is auto, headless or a pid, not %q", r.editor)
	}
	e, err := embedded(ctx, root)
	if err != nil {
		return nil, failed{err}
	}
	return e, nil
}

// embedded starts a server with the headless editor at its other end. Closing
// the editor ends both.
func embedded(ctx context.Context, root string) (*headless.Editor, error) {
	server, client := net.Pipe()
	go func() { _ = lsp.Serve(ctx, server, lsp.Options{Version: version()}) }()
	return headless.Start(ctx, client, headless.Options{Roots: []string{root}})
}

// execute runs one command. What is no answer of the server, such as an interrupt, is
// a failure as well.
func execute(ctx context.Context, e *headless.Editor, command string, args any) (json.RawMessage, error) {
	raw, err := e.Execute(ctx, "patchls."+command, args)
	if _, answered := errors.AsType[*jsonrpc2.Error](err); err != nil && !answered {
		err = failed{err}
	}
	return raw, err
}

// unsaved is said wherever the embedded editor's buffers are about to go.
const unsaved = "Not saved: the edit is in a buffer of the embedded editor, which ends with this command; add --save to write it to disk."

// execute runs one editing command and saves its files if that was asked for.
func (r *reach) execute(ctx context.Context, e *headless.Editor, command string, args any) (*lsp.Result, error) {
	raw, err := execute(ctx, e, command, args)
	if err != nil {
		return nil, err
	}
	var result lsp.Result
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, failed{err}
	}
	if !result.Applied {
		return &result, nil
	}
	if !r.save {
		result.Notes = append(result.Notes, unsaved)
		return &result, nil
	}
	return &result, saveFiles(e, result.Files)
}

// saveFiles saves the files of a result; what was deleted goes from disk.
func saveFiles(e *headless.Editor, files []lsp.FileResult) error {
	for i := range files {
		f := &files[i]
		if err := e.SaveURI(f.URI); err != nil {
			return failed{fmt.Errorf("the edit of %s was not saved%s: %w", f.Path, savedBefore(files[:i]), err)}
		}
		f.Saved, f.Dirty = true, false
	}
	return nil
}

// savedBefore says which files are on disk where another one could not be saved.
func savedBefore(files []lsp.FileResult) string {
	if len(files) == 0 {
		return ""
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Path
	}
	return fmt.Sprintf(" (%s before it: %s)", edits.Count(len(files), "file"), strings.Join(names, ", "))
}
