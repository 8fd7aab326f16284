package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxLinks is the number of symbolic links after which a path is taken to run
// in a circle.
const maxLinks = 64

// errLinkLoop says that symbolic links run in a circle.
var errLinkLoop = errors.New("its symbolic links form a loop")

// realPath follows every symbolic link of the cleaned absolute path abs, also
// where the path or the target of a link does not exist yet: what a file
// created at abs would be called in the end. [filepath.EvalSymlinks] gives up
// there, and resolving only the parent would let a dangling link lead anywhere.
// With an error it returns the place of that.
func realPath(abs string) (string, error) {
	at, todo, links := top(abs), components(abs), 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..": // of a link's target; at has no links, so its parent is lexical
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := readLink(next)
		switch {
		case isAbsent(err) && !slices.Contains(todo, ".."):
			// Nothing is below what is not there, whose path can still be too long.
			at = filepath.Join(append([]string{next}, todo...)...)
			if _, err := readLink(at); err != nil && !isAbsent(err) {
				return at, err
			}
			return at, nil
		case err != nil && !isAbsent(err):
			return next, err
		case target == "":
			at = next
			continue
		}
		if links++; links > maxLinks {
			return next, errLinkLoop
		}
		switch {
		case filepath.IsAbs(target):
			at = top(target)
		case os.IsPathSeparator(target[0]): // Windows: from the top of the same volume
			at = top(at)
		}
		todo = append(components(target), todo...)
	}
	return at, nil
}

// top returns the topmost folder of a path's volume.
func top(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// components returns the names in a path without its volume; some may be empty.
func components(path string) []string {
	return strings.Split(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/")
}

// readLink returns the target of the symbolic link at path, and "" where there
// is no link.
func readLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return os.Readlink(path)
	case info.Mode()&fs.ModeIrregular != 0: // a Windows junction, or no link at all
		target, _ := os.Readlink(path)
		return target, nil
	}
	return "", nil
}

// isAbsent reports whether err says that there is nothing at a path.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
