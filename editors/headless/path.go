package headless

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/editors/headless/internal/disk"
)

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

// keyOfURI returns the map key of the document that raw names, and the path if
// it is a file's. URIs that spell one document differently have one key.
func keyOfURI(raw string) (key, path string, err error) {
	if path, ok := pathOf(raw); ok {
		return keyOfPath(path), path, nil
	}
	u, err := uri.Parse(raw)
	if err != nil {
		return "", "", fmt.Errorf("bad URI %q: %w", raw, err)
	}
	if u.IsFile() {
		return "", "", fmt.Errorf("the URI %q names no file on this machine", raw)
	}
	return string(u), "", nil
}

// absolute takes a relative path from the first workspace folder.
func (e *Editor) absolute(path string) (string, error) {
	if !filepath.IsAbs(path) && len(e.opts.Roots) > 0 {
		path = filepath.Join(e.opts.Roots[0], path)
	}
	return filepath.Abs(path)
}

// languages maps file name extensions to LSP's language identifiers, where the
// two differ. Nothing here depends on them; a server may.
var languages = map[string]string{
	"":     "plaintext",
	"txt":  "plaintext",
	"md":   "markdown",
	"py":   "python",
	"js":   "javascript",
	"mjs":  "javascript",
	"ts":   "typescript",
	"tsx":  "typescriptreact",
	"jsx":  "javascriptreact",
	"rs":   "rust",
	"rb":   "ruby",
	"sh":   "shellscript",
	"yml":  "yaml",
	"h":    "c",
	"cc":   "cpp",
	"hpp":  "cpp",
	"cs":   "csharp",
	"htm":  "html",
	"tex":  "latex",
	"diff": "diff",
}

// languageOf returns the language identifier for a file name.
func languageOf(path string) string {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if id, ok := languages[ext]; ok {
		return id
	}
	return ext
}
