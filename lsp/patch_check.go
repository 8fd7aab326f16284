package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// maxListed bounds how many files a message names.
const maxListed = 5

// listed words a list of names: "a.txt, b.txt and c.txt".
func listed(names []string) string {
	if more := len(names) - maxListed; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// checkDelete refuses to delete what could not be put back.
func (s *server) checkDelete(snap workspace.Snapshot) error {
	switch {
	case snap.Abs == "":
		return &edits.Error{Kind: unsupported, Path: snap.Path, Message: fmt.Sprintf("%s is no file, so it cannot be deleted or renamed; close it in the editor.", snap.Path)}
	case snap.Doc != nil && isDirty(snap.Target, snap.Text):
		return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has unsaved changes, which deleting it would lose; save it first.", snap.Path)}
	}
	return nil
}

// checkMove refuses a renaming that would do more than that. What is unsaved
// goes along, except where the editor saves it first.
func (s *server) checkMove(snap workspace.Snapshot) error {
	switch {
	case snap.Abs == "":
		return &edits.Error{Kind: unsupported, Path: snap.Path, Message: fmt.Sprintf("%s is no file, so it cannot be deleted or renamed; save it under a name in the editor.", snap.Path)}
	case snap.Doc != nil && s.client.Load().traits.renameSaves && isDirty(snap.Target, snap.Text):
		return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has unsaved changes, which the editor would save in renaming it; save it first.", snap.Path)}
	}
	return nil
}

// checkFree refuses a new name that something has already.
func (p *patching) checkFree(w *workspace.Workspace, from, to paths.Target) error {
	taken := func(kind edits.Kind, what string) error {
		return &edits.Error{Kind: kind, Path: to.Path, Message: fmt.Sprintf(
			"%s cannot be moved to %s, which %s; move it to a name that is free.", from.Path, to.Path, what)}
	}
	if f := p.names[to.Key]; f != nil {
		if f.exists {
			return taken(paths.AlreadyExists, "exists already")
		}
		return nil // the patch deletes it before
	}
	exists, isDir := to.Exists()
	switch {
	case p.vacated[to.Key] != nil:
		return nil
	case to.Abs == "":
		return taken(unsupported, "is no file")
	case isDir:
		return taken(paths.IsDirectory, "is a directory")
	case paths.DiffersInCase(from.Abs, to.Abs):
		return nil
	case w.IsOpen(to.Key), exists:
		return taken(paths.AlreadyExists, "exists already")
	}
	return nil
}

// checkCells refuses a patch over several cells of notebooks: an editor knows
// them as parts of one document.
func (p *patching) checkCells() error {
	cells := 0
	for _, f := range p.files {
		if strings.HasPrefix(string(f.from.Key), "vscode-notebook-cell:") {
			cells++
		}
	}
	if cells > 1 {
		return &edits.Error{Kind: unsupported, Message: fmt.Sprintf("The patch is about %d cells of notebooks; send a patch for each.", cells)}
	}
	return nil
}

// checkOperations refuses a patch that the editor cannot carry out.
func (p *patching) checkOperations() error {
	c := p.s.client.Load()
	has := map[string]bool{changeUpdate: true, changeCreate: c.createFiles || c.traits.createsByEdit, changeDelete: c.deleteFiles, changeRename: c.renameFiles}
	for _, f := range p.files {
		for _, change := range f.changes() {
			if has[change] && (change != changeCreate || len(f.plan.Edits) > 0 || c.createFiles) {
				continue
			}
			return &edits.Error{Kind: unsupported, Path: f.given, File: f.number, Message: fmt.Sprintf(
				"The editor lacks the resource operation %s, which the patch needs for %s; nothing was changed.", change, f.given)}
		}
	}
	return nil
}

// checkNames refuses a patch whose files would be in each other's way: no file
// may get a name before the one that has it has left it.
func (p *patching) checkNames() error {
	held := map[paths.Key]bool{}
	for _, f := range p.files {
		if f.was.Exists {
			held[f.from.Key] = true
		}
	}
	for _, f := range p.inOrder() {
		switch f.changed() {
		case changeDelete:
			delete(held, f.from.Key)
		case changeCreate, changeRename:
			if held[f.at.Key] {
				return &edits.Error{Kind: unsupported, Path: f.given, File: f.number, Message: fmt.Sprintf(
					"The patch gives the name %s to another file while it is still in use; nothing was changed. Send it as two patches, the first of which frees the name.", f.at.Path)}
			}
			delete(held, f.from.Key)
			held[f.at.Key] = true
		}
	}
	return nil
}

// inOrder returns the files in the order in which they are edited: a name is
// free by the time that the patch gives it to another file.
func (p *patching) inOrder() []*patchedFile {
	files := slices.Clone(p.files)
	slices.SortStableFunc(files, func(a, b *patchedFile) int { return cmp.Compare(a.order, b.order) })
	return files
}
