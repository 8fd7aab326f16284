package paths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// OpenAs returns which of the open documents is the file that t names, under
// whatever other name: through a symbolic or hard link, or in other case on a
// volume that ignores case. [Policy.Resolve] tries only the names that it can
// guess; an edit of a file that is open under another one would otherwise miss
// the text on screen. It reads the disk once per open document.
func (t Target) OpenAs(open []Key) (Key, bool) {
	file, err := os.Stat(t.Abs)
	if err != nil {
		return "", false
	}
	for _, k := range open {
		abs, _ := k.FilePath() // "" is no file to Stat either
		if other, err := os.Stat(abs); err == nil && os.SameFile(file, other) {
			return k, true
		}
	}
	return "", false
}

// Identity returns one key for all names of a file, whether it is open or not:
// that under which commands about it take turns.
func (t Target) Identity() Key {
	if t.Abs == "" {
		return t.Key
	}
	real, err := realPath(t.Abs)
	if err != nil {
		return t.Key
	}
	return FileKey(real)
}

// Listed reports whether the folder of abs lists a file of just that name. On a
// file system that ignores case a look at abs itself would find it under another.
func Listed(abs string) bool {
	if _, err := os.Lstat(abs); err != nil {
		return false
	}
	dir, err := os.Open(filepath.Dir(abs))
	if err != nil {
		return true // it was found, and nothing says that its name is another
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return err != nil || slices.Contains(names, filepath.Base(abs))
}

// DiffersInCase reports whether a and b are two names of one file that differ in
// case alone.
func DiffersInCase(a, b string) bool {
	if a == b || !strings.EqualFold(a, b) {
		return false
	}
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}
