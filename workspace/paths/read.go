package paths

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// File is a file that no editor holds open, as it was when it was read.
type File struct {
	Path     string    // as results show it
	Text     text.Text // valid UTF-8, without the leading byte order mark
	BOM      bool      // whether the file begins with one
	Writable bool      // whether its permissions let this user write it
}

// ReadClosed reads the file at t, which no editor holds open, as text. t comes
// from [Policy.Resolve]; where its path by now leads to another file than was
// checked there, nothing of that file is given away.
//
// Errors are *[edits.Error] of kind file_not_found with the nearest existing
// paths, is_directory, binary_file (also for what is no regular file and is
// never opened), too_large, not_utf8, read_only (may not even be read) or
// outside_workspace.
func (p Policy) ReadClosed(t Target) (File, error) {
	if t.Abs == "" {
		return File{}, notOpen(t.Path)
	}
	f, info, err := t.open()
	if err != nil {
		return File{}, p.readError(t, info, err)
	}
	defer f.Close()
	raw, err := p.readAll(f, info.Size(), t.Path)
	if err != nil {
		return File{}, err
	}
	if err := checkText(raw, t.Path); err != nil {
		return File{}, err
	}
	body, bom := strings.CutPrefix(raw, text.BOM)
	return File{Path: t.Path, Text: text.New(body), BOM: bom, Writable: writable(t.Abs, info)}, nil
}

// CheckWritable returns an error of kind read_only if the file's permissions
// forbid writing it, which does not keep it from being viewed.
func (f File) CheckWritable() error {
	if f.Writable {
		return nil
	}
	return fail(ReadOnly, f.Path, "%s is read-only; edit another file, or ask the user to make it writable", printable(f.Path))
}

// Exists reports whether there is anything at t on disk, be it a symbolic link
// to nowhere, and whether it is a directory or leads to one. Where the system
// does not let that be seen, something exists: to create a file there would be
// a guess.
func (t Target) Exists() (exists, isDir bool) {
	if _, err := os.Lstat(t.Abs); isAbsent(err) {
		return false, false
	}
	info, err := os.Stat(t.Abs)
	return true, err == nil && info.IsDir()
}

// readAll reads a file of the given size up to the bound, which is checked
// before anything is read and once more after it, as the file may be growing.
func (p Policy) readAll(f io.Reader, size int64, path string) (string, error) {
	limit := p.Limit()
	var raw strings.Builder
	if size <= limit {
		raw.Grow(int(size))
		if _, err := io.Copy(&raw, io.LimitReader(f, limit+1)); err != nil {
			return "", ioError(path, err)
		}
		size = int64(raw.Len())
	}
	if size > limit {
		return "", fail(TooLarge, path, "%s has more than the %d bytes that max_document_bytes allows; open it in the editor to edit it", printable(path), limit)
	}
	return raw.String(), nil
}

// readError turns a failure of openRegular into one for a model.
func (p Policy) readError(t Target, info fs.FileInfo, err error) error {
	switch {
	case errors.Is(err, errIrregular) && info.IsDir():
		return fail(IsDirectory, t.Path, "%s is a directory; use view to list it, and name a file in it", printable(t.Path))
	case errors.Is(err, errIrregular):
		return fail(BinaryFile, t.Path, "%s is %s, not a regular file; it has no text to edit", printable(t.Path), special(info.Mode()))
	case errors.Is(err, errReplaced):
		return replaced(t)
	case isAbsent(err):
		return p.notFound(t)
	}
	return ioError(t.Path, err)
}

func replaced(t Target) error {
	return fail(OutsideWorkspace, t.Path, "%s has come to lead elsewhere since it was checked; send the command again", printable(t.Path))
}
