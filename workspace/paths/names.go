package paths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
