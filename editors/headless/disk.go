package headless

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/patchls/patchls/edits/text"
)

// disk reads and writes whole files. It knows no buffers.
type disk struct {
	// call, if set, makes each call to the system that reads or changes a file in the
	// disk's place. Tests fail it there.
	call func(op, path string, do func() error) error

	recovered func(what string)       // see [Options]; nil: nobody is told
	allow     func(path string) error // [Options.AllowSave]; nil: all may be written
}

// file is what a file on disk holds.
type file struct {
	text  string // without the byte order mark
	bom   bool
	stamp stamp
}

// stamp tells one content of a file from another. It is a hash, since a time
// and a size miss a quick change of the same length, and call a mere touch one. It
// never leaves the process, whose seed it has, so nobody can aim at it.
type stamp struct {
	exists bool
	size   int64
	sum    uint64
}

var stampSeed = maphash.MakeSeed()

func stampOf(content []byte) stamp {
	return stamp{true, int64(len(content)), maphash.Bytes(stampSeed, content)}
}

// read reads a text file. The error wraps fs.ErrNotExist, [ErrNotRegular] or
// [ErrNotUTF8], and names the path.
func (d disk) read(path string) (file, error) {
	content, err := d.readRegular(path)
	if err != nil {
		return file{}, err
	}
	if !utf8.Valid(content) {
		return file{}, &fs.PathError{Op: "open", Path: path, Err: ErrNotUTF8}
	}
	f := file{stamp: stampOf(content)}
	// A view, of what nobody writes any more.
	f.text, f.bom = strings.CutPrefix(unsafe.String(unsafe.SliceData(content), len(content)), text.BOM) //nolint:gosec // see above
	return f, nil
}

func (d disk) readRegular(path string) ([]byte, error) {
	if err := d.regular(path); err != nil {
		return nil, err
	}
	return d.readFile(path)
}

// regular looks before anything is opened: opening a device may do something.
func (d disk) regular(path string) error {
	info, err := d.stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return err
}

// look returns the stamp of what is at path now, which it does not keep.
func (d disk) look(path string) (stamp, error) {
	f, err := d.openRegular(path)
	if f == nil {
		return stamp{}, err
	}
	defer func() { _ = f.Close() }()
	return stampOfFile(f)
}

// openRegular opens the file at path, nil if there is none.
func (d disk) openRegular(path string) (*diskFile, error) {
	err := d.regular(path)
	var f *diskFile
	if err == nil {
		f, err = d.open(path, os.O_RDONLY|openFlags, 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // by now
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func stampOfFile(f *diskFile) (stamp, error) {
	var h maphash.Hash
	h.SetSeed(stampSeed)
	n, err := io.CopyBuffer(&h, struct{ io.Reader }{f}, make([]byte, 128<<10)) // by this buffer, which a File would not take
	return stamp{true, n, h.Sum64()}, err
}

// unchanged is nil if the file at path still is as old says, else a
// *[DiskChangedError].
func (d disk) unchanged(path string, old stamp) error {
	now, err := d.look(path)
	if err != nil {
		return err
	}
	return compare(path, old, now)
}

func compare(path string, old, now stamp) error {
	switch {
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
func (d disk) follow(path string) (string, error) {
	for range 40 { // as many as Linux follows
		info, err := d.lstat(path)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return path, err
		}
		if missing || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		target, err := d.readlink(path)
		if err != nil {
			return path, err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path, &fs.PathError{Op: "save", Path: path, Err: errors.New("too many symbolic links")}
}
