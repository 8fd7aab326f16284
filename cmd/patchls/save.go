package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/patchls/patchls/agent"
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
