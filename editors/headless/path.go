package headless

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/editors/headless/internal/disk"
)

// docName is what a document goes by.
type docName struct {
	uri  string // as first spelled
	path string // empty if the URI is not a file's
	key  string // is one for all spellings
}

// URI returns the document's URI, spelled as it was first opened.
func (d *docName) URI() string { return d.uri }

// Path returns the path of the document's file, or "" if its URI is no file's.
func (d *docName) Path() string { return d.path }

// nameOf returns the name of the file at path. A relative one is taken from the first
// workspace folder.
func (e *Editor) nameOf(path string) (docName, error) {
	if !filepath.IsAbs(path) && len(e.opts.Roots) > 0 {
		path = filepath.Join(e.opts.Roots[0], path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return docName{}, err
	}
	u, err := uriOf(path)
	return docName{u, path, keyOfPath(path)}, err
}

// nameOfURI returns the name of the document that raw names. URIs that spell one document
// differently have one key.
func nameOfURI(raw string) (docName, error) {
	if path, ok := pathOf(raw); ok {
		return docName{raw, path, keyOfPath(path)}, nil
	}
	u, err := uri.Parse(raw)
	if err != nil {
		return docName{}, fmt.Errorf("bad URI %q: %w", raw, err)
	}
	if u.IsFile() {
		return docName{}, fmt.Errorf("the URI %q names no file on this machine", raw)
	}
	return docName{uri: raw, key: string(u)}, nil
}

// uriOf returns the file URI of an absolute path, and an error for the few
// paths that have none: those that are not UTF-8, and on POSIX those that look
// like a drive, whose case a URI does not keep.
func uriOf(path string) (string, error) {
	u := uri.File(path)
	if back, ok := pathOf(string(u)); !ok || back != path {
		return "", fmt.Errorf("the path %q has no file URI", path)
	}
	return string(u), nil
}

// pathOf returns the path that a file URI names, cleaned. It is false for other
// schemes, for what cannot be parsed, and on POSIX for another host's files.
func pathOf(raw string) (string, bool) {
	u, err := uri.Parse(raw)
	if err != nil || !u.IsFile() {
		return "", false
	}
	if runtime.GOOS == "windows" {
		return filepath.Clean(u.FsPath()), true
	}
	// FsPath would take "/c:/x" for a drive.
	if a := u.Authority(); a != "" && a != "localhost" {
		return "", false
	}
	return filepath.Clean(u.Path()), true
}

// isURI tells a URI from a path. A scheme of one letter is a drive.
func isURI(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && len(scheme) > 1 && !filepath.IsAbs(s) && !strings.ContainsAny(scheme, `/\ .`)
}

// keyOfPath returns the map key of the document at path. Names of one file that
// differ by symlinks have one key, so that a file is never in two buffers that
// overwrite each other. What does not exist yet is named by its nearest
// existing folder.
func keyOfPath(path string) string {
	if target, err := (disk.Disk{}).Follow(path); err == nil {
		path = target
	}
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return "file:" + filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return "file:" + path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// languageOf returns the language identifier of a file, which is its extension: the server
// knows languages by that.
func languageOf(path string) string {
	return cmp.Or(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."), "plaintext")
}
