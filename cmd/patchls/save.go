package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/transaction"
)

// saveLive has a live editor save the files of a result. What was deleted or renamed
// there is so on disk.
func saveLive(ctx context.Context, e agent.Editor, files []transaction.FileResult) error {
	uris := []string{}
	for _, f := range files {
		if f.Change != "delete" {
			uris = append(uris, f.URI)
		}
	}
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
		for i := range files {
			if files[i].URI == s.URI {
				files[i].Saved, files[i].Dirty = s.Saved, s.Dirty
			}
		}
	}
	return nil
}

// saveFiles saves the files of a result; what was deleted goes from disk. If one of them
// cannot be saved, or a live editor has it open, none is.
func (e *embeddedEditor) saveFiles(r *transaction.Result) error {
	uris := make([]string, len(r.Files))
	for i, f := range r.Files {
		uris[i] = f.URI
	}
	return saved(r, e.SaveAll(uris...))
}

// saved puts into a result that its files were saved, or says why they were not.
func saved(r *transaction.Result, err error) error {
	switch {
	case errors.Is(err, headless.ErrNotDurable):
		r.Notes = append(r.Notes, err.Error())
	case err != nil:
		return refusedSave(r.Files, err)
	}
	for i := range r.Files {
		r.Files[i].Saved, r.Files[i].Dirty = true, false
	}
	return nil
}

// refusedSave is the error of an edit that was not saved. It is the contract's where
// nothing has changed.
func refusedSave(files []transaction.FileResult, err error) error {
	of, _ := errors.AsType[*headless.SaveError](err)
	i := slices.IndexFunc(files, func(f transaction.FileResult) bool { return of != nil && f.URI == of.URI })
	if i < 0 {
		return failed{err}
	}
	path := files[i].Path
	if _, half := errors.AsType[*headless.HalfSavedError](err); half {
		return failed{fmt.Errorf("the edit of %s was not saved: %w", path, err)}
	}
	if _, changed := errors.AsType[*headless.DiskChangedError](err); changed || errors.Is(err, headless.ErrLocked) {
		err = fmt.Errorf("%w; send the command again", err)
	}
	return transaction.CommandError(&edits.Error{Kind: editor.Rejected, Path: path, Message: fmt.Sprintf(
		"The edit of %s was not saved, and nothing on disk was changed: %v.", path, err)}, nil)
}
