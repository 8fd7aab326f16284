package reference

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// vaultFolders are what SmartHole keeps its tools out of, at the top of a vault.
// Ours are kept out of them anywhere, as they are out of .git.
var vaultFolders = []string{".obsidian", ".smarthole", ".git"}

// vaultPlace finds what a path of SmartHole's tools names. Of a file that exists
// the case of its letters may differ, if only one file is then meant.
func vaultPlace(w *workspace.Workspace, given string, exists bool) (paths.Target, error) {
	w.Policy.Protected = append(slices.Clip(w.Policy.Protected), vaultFolders...)
	place, err := w.Resolve(given)
	if err != nil || !exists || place.Abs == "" || w.IsOpen(place.Key) {
		return place, err
	}
	if there, _ := place.Exists(); there {
		return place, nil
	}
	var same []string
	for _, near := range w.Policy.Nearest(place, 3) {
		if strings.EqualFold(near, place.Path) {
			same = append(same, near)
		}
	}
	switch len(same) {
	case 0:
		return place, nil
	case 1:
		return w.Resolve(same[0])
	}
	return place, &edits.Error{Kind: paths.FileNotFound, Path: place.Path, Message: fmt.Sprintf(
		"Multiple files match %q with different casing. Please specify the exact path. They are %s.", given, strings.Join(same, ", "))}
}

// vaultTarget is the target of a call of SmartHole's tools, of which a text is made if there
// is no such file.
func vaultTarget(given string, create *string) commands.Target {
	return commands.Target{Path: given, Create: create, Find: func(w *workspace.Workspace) (paths.Target, error) {
		return vaultPlace(w, given, create == nil)
	}}
}

// vaultPath reads the path of a call of SmartHole's tools.
func vaultPath(g given) (string, error) {
	s, ok := g.isString("path")
	if s = strings.TrimSpace(s); !ok || s == "" {
		return "", schema.Invalid("path is required and must be a non-empty string")
	}
	return s, nil
}

// vaultError words an error as SmartHole's tools do, about the file at given.
func vaultError(e *edits.Error, given string) *edits.Error {
	switch e.Kind {
	case paths.FileNotFound:
		if !strings.HasPrefix(e.Message, "Multiple files") {
			e.Message = further(fmt.Sprintf(`File not found: "%s"`, given), otherPaths(e))
		}
	case paths.Protected:
		if name := vaultFolder(given); name != "" {
			e.Message = fmt.Sprintf("Access denied: Cannot access files in '%s/' directory (protected system folder)", name)
		}
	case edits.LineOutOfRange:
		e.Message = withoutPath(e)
	}
	return e
}

// vaultFolder returns the protected folder that a path names, "" if it does so
// in no plain way.
func vaultFolder(given string) string {
	for part := range strings.SplitSeq(path.Clean(strings.ReplaceAll(given, `\`, "/")), "/") {
		for _, name := range vaultFolders {
			if strings.EqualFold(part, name) {
				return name
			}
		}
	}
	return ""
}
