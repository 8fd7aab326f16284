package headless

import (
	"path/filepath"
	"strings"
)

// Buffer returns the open buffer of a path or a URI, however it is spelled.
func (e *Editor) Buffer(pathOrURI string) (*Buffer, bool) {
	nameOf := e.nameOf
	if isURI(pathOrURI) {
		nameOf = nameOfURI
	}
	name, err := nameOf(pathOrURI)
	if err != nil {
		return nil, false
	}
	e.Lock()
	defer e.Unlock()
	b := e.buffers[name.key]
	return b, b != nil
}

// isURI reports whether s is a URI and not a path. A scheme of one letter is a drive.
func isURI(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && len(scheme) > 1 && !filepath.IsAbs(s) && !strings.ContainsAny(scheme, `/\ .`)
}

// Kill drops the connection without any message, like an editor that crashes.
func (c *connection) Kill() { _ = c.pipe.Close() }
