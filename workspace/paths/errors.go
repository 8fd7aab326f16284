package paths

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/patchls/patchls/edits"
)

// fail returns an *[edits.Error] about path. It appends the full stop to the message.
func fail(kind edits.Kind, path, format string, args ...any) error {
	return &edits.Error{Kind: kind, Path: path, Message: fmt.Sprintf(format, args...) + "."}
}

func protected(path, name string) error {
	return fail(edits.Protected, path, "%s is protected (%s): no command may read or edit it; choose another file", edits.Printable(path), name)
}

// notOpen returns an error about a URI that names no local file.
func notOpen(uri string) error {
	if scheme, _, _ := cutScheme(uri); strings.EqualFold(scheme, "file") {
		return fail(edits.InvalidParams, uri, "%s does not name a local file; leave out the host, ? and #, or give a plain path", edits.Printable(uri))
	}
	return fail(edits.FileNotFound, uri, "File not found: %s is not open in the editor; only a file can be edited while it is closed", edits.Printable(uri))
}

// outside returns an error that the path given, which is abs, is outside the workspace,
// and suggests a path inside it: models write /src/a.go for src/a.go.
func (p Policy) outside(given, abs string) error {
	hint := "name a file in a workspace folder, or one that is open in the editor"
	if tail := p.tailInRoots(abs); tail != "" {
		hint = "perhaps " + edits.Printable(tail) + " is meant, which is in it"
	}
	for _, r := range p.Roots {
		if _, below := Below(r.Path, abs); below && leadsNow(FileKey(r.Path)) != r.real {
			hint = "its workspace folder leads elsewhere since the editor has named it; ask the user to open the folder again"
		}
	}
	return fail(edits.OutsideWorkspace, given, "%s is outside the workspace; %s", edits.Printable(given), hint)
}

// tailInRoots returns the longest tail of abs that is the path of another file in a root, "" if there is none. What only a link
// makes appear there does not count: nothing may be said about what is outside.
func (p Policy) tailInRoots(abs string) string {
	_, tail, more := strings.Cut(filepath.ToSlash(abs), "/")
	for ; more; _, tail, more = strings.Cut(tail, "/") {
		for _, r := range p.Roots {
			here := filepath.Join(r.Path, tail)
			real := leadsNow(FileKey(here))
			if _, in := Below(r.real, real); in && here != abs && present(real, nil) && p.protects(here, real) == "" {
				return tail
			}
		}
	}
	return ""
}

// ioError turns a system error about a path into an error for a model.
func ioError(path string, err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err // without the machine's own path
	}
	switch {
	case errors.Is(err, errLinkLoop):
		return fail(edits.FileNotFound, path, "File not found: %s leads in a circle of symbolic links; name another file", edits.Printable(path))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fail(edits.InvalidParams, path, "path has a name that is longer than the file system allows; it must name one file")
	}
	return fail(edits.ReadOnly, path, "%s cannot be read: %v; choose another file, or ask the user for access to it", edits.Printable(path), err)
}
