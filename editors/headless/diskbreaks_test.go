package headless

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

var errBroken = errors.New("broken disk")

// breaks makes a step of the save of the file at path fail on the editor's disk.
func breaks(e *Editor, step, path string) {
	e.disk.Call = func(op, at string, do func() error) error {
		if isStep(step, op, at, path) {
			return errBroken
		}
		return do()
	}
}

// isStep reports whether the call op on the file at is this step of the save of the file at
// path. "create", "write", "chmod", "sync" and "close" are on the temporary file; "put" moves
// it into its place or the old one out of it; "mkdir" and "sync folder" are on a folder.
func isStep(step, op, at, path string) bool {
	switch step {
	case "put":
		return finally(at) == path && slices.Contains([]string{"exchange", "link", "rename"}, op)
	case "mkdir":
		return op == step && at == path
	case "sync folder":
		return op == "sync" && at == path
	}
	return op == step && at != path && finally(at) == path
}

// finally returns the name that the file at path is made for.
func finally(path string) string {
	dir, base := filepath.Split(path)
	if name, _, ok := strings.Cut(base, ".patchls-"); ok {
		return dir + name[1:]
	}
	return path
}

// isChange reports whether a call changes what is on disk.
func isChange(op string) bool {
	return slices.Contains([]string{"create", "write", "truncate", "chmod", "chown", "mkdir", "exchange", "link", "rename", "remove"}, op)
}
