package paths

import (
	"os"
	"path/filepath"
	"unicode/utf8"
)

// Target returns what results say of the document k, without asking whether a
// command may touch it.
func (p Policy) Target(k Key, isOpen func(Key) bool) Target {
	abs, ok := k.FilePath()
	if !ok {
		return Target{Key: k, URI: string(k), Path: string(k)}
	}
	return Target{Key: k, URI: FileURI(abs), Path: display(abs, p.roots(), isOpen), Abs: abs}
}

// display returns abs as results show it: relative to its root, with forward
// slashes. It must lead back to the same file when a command names it, so if an
// earlier root has a file of that name the path is shown whole.
func display(abs string, roots []root, isOpen func(Key) bool) string {
	shown := abs
	for i, r := range roots {
		rel, ok := r.below(abs)
		if ok && !taken(rel, roots[:i], isOpen) {
			shown = filepath.ToSlash(rel)
			break
		}
	}
	if !utf8.ValidString(shown) { // no JSON string could carry it
		return FileURI(abs)
	}
	return shown
}

// taken reports whether one of the roots has something at rel.
func taken(rel string, roots []root, isOpen func(Key) bool) bool {
	for _, r := range roots {
		if present(filepath.Join(r.path, rel), isOpen) {
			return true
		}
	}
	return false
}

// present reports whether abs is open in the editor or exists on disk.
func present(abs string, isOpen func(Key) bool) bool {
	if isOpen != nil && isOpen(FileKey(abs)) {
		return true
	}
	_, err := os.Lstat(abs)
	return err == nil
}
