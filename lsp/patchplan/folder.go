package patchplan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// InFolder returns a patch whose relative names are counted from the folder that the patch means:
//
//   - The names in a diff of git are counted from the top of the work tree, wherever git runs. If the caller's folder
//     is below the top, such names are looked for there first. Those of "git diff --relative" are found only below the
//     caller's folder, and stay. It is an error if all of them are found at both.
//   - A shell that says "cd folder && apply_patch" has the names counted from that folder.
func InFolder(w *workspace.Workspace, sent patch.Patch) (patch.Patch, error) {
	base := w.Policy.Base
	top := paths.WorkTree(base)
	switch {
	case sent.Folder != "":
		return joined(sent, sent.Folder), nil
	case !sent.Git || base == "" || w.Policy.BaseIsTop || top == "" || top == base:
		return sent, nil
	}
	atTop, atBase := found(w, top, sent), found(w, base, sent)
	all := func(there []bool) bool { return len(there) > 0 && !slices.Contains(there, false) }
	switch {
	case all(atTop) && all(atBase):
		name := sent.Files[0].Path
		return sent, &edits.Error{Kind: edits.InvalidParams, Path: name, Message: fmt.Sprintf(
			"It is not clear which files the diff means: git counts names from the top of the work tree, where there is %s, and there is %s too, as after git diff --relative. "+
				"Send absolute names, or give --root on the command line.", shown(w, top, name), shown(w, base, name))}
	case all(atBase):
		return sent, nil
	}
	return joined(sent, top), nil
}

// found returns for each file that a patch changes whether it is there under a folder.
func found(w *workspace.Workspace, folder string, sent patch.Patch) (there []bool) {
	for _, f := range sent.Files {
		if f.Op == patch.AddFile {
			continue
		}
		target, err := w.Resolve(filepath.Join(folder, f.Path))
		exists, _ := target.Exists()
		there = append(there, err == nil && (exists || w.IsOpen(target.Key)))
	}
	return there
}

// shown returns the name of a file as results show it.
func shown(w *workspace.Workspace, folder, name string) string {
	target, err := w.Resolve(filepath.Join(folder, name))
	if err != nil {
		return paths.OneLine(name, paths.MaxShownPath)
	}
	return target.Path
}

// joined returns a patch with a folder before its relative names.
func joined(sent patch.Patch, folder string) patch.Patch {
	sent.Files = slices.Clone(sent.Files)
	for i := range sent.Files {
		f := &sent.Files[i]
		for _, name := range []*string{&f.Path, &f.OtherPath, &f.NewPath} {
			if *name != "" && !filepath.IsAbs(*name) && !strings.Contains(*name, "://") {
				*name = filepath.Join(folder, filepath.FromSlash(*name))
			}
		}
	}
	return sent
}
