package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp"
)

// saveLive has a live editor save the files of a result. What was deleted or renamed
// there is so on disk.
func saveLive(ctx context.Context, e agent.Editor, files []lsp.FileResult) error {
	uris := []string{}
	for _, f := range files {
		if f.Change != "delete" {
			uris = append(uris, f.URI)
		}
	}
	if len(uris) == 0 {
		return nil
	}
	raw, err := execute(ctx, e, "save", map[string]any{"paths": uris})
	if err != nil {
		return err
	}
	var saved lsp.Result
	if err := json.Unmarshal(raw, &saved); err != nil {
		return failed{err}
	}
	for _, s := range saved.Files {
		for i := range files {
			if files[i].URI == s.URI {
				files[i].Saved, files[i].Dirty = s.Saved, s.Dirty
			}
		}
	}
	return nil
}

// saveFiles saves the files of a result; what was deleted goes from disk. If a live
// editor has one of them open, none is saved.
func (e *embeddedEditor) saveFiles(files []lsp.FileResult) error {
	for _, f := range files {
		if err := e.MaySaveURI(f.URI); err != nil {
			return refusedSave(f, nil, err)
		}
	}
	for i := range files {
		f := &files[i]
		if err := e.SaveURI(f.URI); err != nil {
			return refusedSave(*f, files[:i], err)
		}
		f.Saved, f.Dirty = true, false
	}
	return nil
}

// refusedSave is the error of a file that was not saved, after others were. It is one
// of the contract's where that has a kind.
func refusedSave(f lsp.FileResult, before []lsp.FileResult, err error) error {
	err = fmt.Errorf("the edit of %s was not saved%s: %w", f.Path, savedBefore(before), err)
	if !isOpenElsewhere(err) {
		return failed{err}
	}
	message := err.Error()
	return lsp.CommandError(&edits.Error{
		Kind: lsp.RejectedByEditor, Path: f.Path, Message: strings.ToUpper(message[:1]) + message[1:] + ".",
	})
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
