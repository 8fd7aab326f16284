package headless

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// disk reads and writes whole files. It knows no buffers.
type disk struct {
	// fault, if set, is asked before each step that changes the disk, and may
	// fail it. Tests inject failures here.
	fault func(step, path string) error
}

// file is what a file on disk holds.
type file struct {
	text  string // without the byte order mark
	bom   bool
	stamp stamp
}

// stamp tells one content of a file from another. It is a hash, since a time
// and a size miss a quick change of the same length, and call a mere touch one.
type stamp struct {
	exists bool
	sum    [sha256.Size]byte
}

func stampOf(content []byte) stamp { return stamp{true, sha256.Sum256(content)} }

// read reads a text file. The error wraps fs.ErrNotExist, [ErrNotRegular] or
// [ErrNotUTF8], and names the path.
func (d disk) read(path string) (file, error) {
	content, err := readRegular(path)
	if err != nil {
		return file{}, err
	}
	if !utf8.Valid(content) {
		return file{}, &fs.PathError{Op: "open", Path: path, Err: ErrNotUTF8}
	}
	f := file{stamp: stampOf(content)}
	f.text, f.bom = strings.CutPrefix(string(content), text.BOM)
	return f, nil
}

// readRegular looks before it opens: opening a FIFO would wait for a writer.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return os.ReadFile(path)
}

// look returns the stamp of what is at path now.
func (d disk) look(path string) (stamp, error) {
	content, err := readRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{}, nil
	case err != nil:
		return stamp{}, err
	}
	return stampOf(content), nil
}

// unchanged is nil if the file at path still is as old says, else a
// *[DiskChangedError].
func (d disk) unchanged(path string, old stamp) error {
	now, err := d.look(path)
	switch {
	case err != nil:
		return err
	case now == old:
		return nil
	case !now.exists:
		return &DiskChangedError{path, "deleted"}
	case !old.exists:
		return &DiskChangedError{path, "created"}
	}
	return &DiskChangedError{path, "changed"}
}

// follow returns the path that path's symlinks lead to. The last of them may
// lead to a file that does not exist yet.
func follow(path string) (string, error) {
	for range 40 { // as many as Linux follows
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is no link, or there is nothing
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &fs.PathError{Op: "save", Path: path, Err: errors.New("too many symbolic links")}
}

func (d disk) may(step, path string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(step, path)
}
