package patchplan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// CheckOperation refuses to delete a file that could not be put back, and to rename one if that
// would save its unsaved text, as it does in some editors.
func CheckOperation(c *editor.Editor, kind string, snap workspace.Snapshot) error {
	instead, why := "close it in the editor", "deleting it would lose"
	if kind == editor.Rename {
		instead, why = "save it under a name in the editor", "the editor may save in renaming it"
	}
	switch {
	case snap.Abs == "":
		return &edits.Error{Kind: edits.Unsupported, Path: snap.Path, Message: fmt.Sprintf("%s is no file, so it cannot be deleted or renamed; %s.", snap.Path, instead)}
	case kind == editor.Rename && c.Quirks.RenameKeeps:
		return nil
	case snap.Doc != nil && paths.IsDirty(snap.Target, snap.Text):
		return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has unsaved changes, which %s; save it first.", snap.Path, why)}
	}
	return nil
}

// checkFree refuses a new name that is taken already.
func (p *Plan) checkFree(w *workspace.Workspace, from, to paths.Target) error {
	taken := func(kind edits.Kind, what string) error {
		return &edits.Error{Kind: kind, Path: to.Path, Message: fmt.Sprintf(
			"%s cannot be moved to %s, which %s; move it to a name that is free.", from.Path, to.Path, what)}
	}
	if f := p.names[to.Key]; f != nil {
		if f.Exists {
			return taken(edits.AlreadyExists, "exists already")
		}
		return nil // the patch deletes that file before
	}
	exists, isDir := to.Exists()
	switch {
	case p.vacated[to.Key] != nil:
		return nil
	case to.Abs == "":
		return taken(edits.Unsupported, "is no file")
	case isDir:
		return taken(edits.IsDirectory, "is a directory")
	case paths.DiffersInCase(from.Abs, to.Abs):
		return nil
	case w.IsOpen(to.Key), exists:
		return taken(edits.AlreadyExists, "exists already")
	}
	return nil
}

// checkOperations refuses a patch that the editor cannot carry out.
func (p *Plan) checkOperations() error {
	c := p.in.Editor
	has := map[string]bool{editor.Update: true, editor.Create: c.CreateFiles || c.Quirks.CreatesByEdit, editor.Delete: c.DeleteFiles, editor.Rename: c.RenameFiles}
	for _, f := range p.Files {
		for _, change := range f.Changes() {
			if has[change] && (change != editor.Create || len(f.Plan.Edits) > 0 || c.CreateFiles) {
				continue
			}
			return &edits.Error{Kind: edits.Unsupported, Path: f.PatchName, File: f.Number, Message: fmt.Sprintf(
				"The editor lacks the resource operation %s, which the patch needs for %s; nothing was changed.", change, f.PatchName)}
		}
	}
	return nil
}

// checkNames refuses a patch that gives a file a name while another file still has it.
func (p *Plan) checkNames() error {
	held := map[paths.Key]bool{}
	for _, f := range p.Files {
		if f.Was.Exists {
			held[f.From.Key] = true
		}
	}
	for _, f := range p.InOrder() {
		switch f.Changed() {
		case editor.Delete:
			delete(held, f.From.Key)
		case editor.Create, editor.Rename:
			if held[f.At.Key] {
				return &edits.Error{Kind: edits.Unsupported, Path: f.PatchName, File: f.Number, Message: fmt.Sprintf(
					"The patch gives the name %s to another file while it is still in use; nothing was changed. Send it as two patches, the first of which frees the name.", f.At.Path)}
			}
			delete(held, f.From.Key)
			held[f.At.Key] = true
		}
	}
	return nil
}

// InOrder returns the files in the order in which they are edited: a name is
// free by the time that the patch gives it to another file.
func (p *Plan) InOrder() []*File {
	files := slices.Clone(p.Files)
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Compare(a.order, b.order) })
	return files
}
