package paths

import (
	"os"
	"path/filepath"
	"strings"
)

// defaultMaxBytes is the size up to which closed files are read if a policy
// says nothing.
const defaultMaxBytes = 64 << 20

// Policy says which files commands may touch. The zero value allows none but
// those that the editor has open. A Policy is not changed by its methods, so it
// may be used concurrently.
type Policy struct {
	Roots        []string // absolute folders, in the client's order
	Base         string   // where relative paths are looked for before the roots, absolute; it allows nothing; "" is none
	AllowOutside bool     // files outside the roots are allowed too
	Protected    []string // names, or slash-separated runs of names, that no command may touch, "*" being any characters; ".git" always is
	MaxBytes     int64    // closed files above it are too_large; 0 means 64 MiB
	Terse        bool     // errors name no near paths, which are sought all over the roots
}

// root is a workspace folder under its two names.
type root struct {
	path string // as the client calls it
	real string // with symbolic links followed
}

// roots returns the usable roots of p in the client's order.
func (p Policy) roots() []root {
	roots := make([]root, 0, len(p.Roots))
	for _, path := range p.Roots {
		if !filepath.IsAbs(path) {
			continue
		}
		path = cleanAbs(path)
		dest, err := realPath(path)
		if err != nil {
			dest = path
		}
		roots = append(roots, root{path, dest})
	}
	return roots
}

// below returns abs relative to the root, by whichever of the root's names it
// begins with; "." is the root itself.
func (r root) below(abs string) (rel string, ok bool) {
	if rel, ok := below(r.path, abs); ok {
		return rel, true
	}
	return below(r.real, abs)
}

// below returns the cleaned path abs relative to the folder dir that holds it.
func below(dir, abs string) (rel string, ok bool) {
	if samePath(dir, abs) {
		return ".", true
	}
	if !os.IsPathSeparator(dir[len(dir)-1]) { // only the top of a volume ends in one
		dir += string(filepath.Separator)
	}
	if len(abs) > len(dir) && samePath(dir, abs[:len(dir)]) {
		return abs[len(dir):], true
	}
	return "", false
}

// samePath compares as the file names of the system do. A Mac's volumes may
// tell case apart, so there only equal spellings are the same.
func samePath(a, b string) bool {
	return a == b || filepath.Separator == '\\' && strings.EqualFold(a, b)
}

// Limit returns how many bytes a text may have at most.
func (p Policy) Limit() int64 {
	if p.MaxBytes > 0 {
		return p.MaxBytes
	}
	return defaultMaxBytes
}
