package paths

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var (
	// errIrregular says that a path names something other than a regular file.
	errIrregular = errors.New("not a regular file")
	// errReplaced says that a path leads to another file than was checked.
	errReplaced = errors.New("replaced since it was checked")
)

// open opens the regular file at t if it is the one that Resolve has checked.
// A file that is saved by renaming a new one over it, just between opening and
// looking where the path leads, is as good as the old one: hence the tries.
func (t Target) open() (f *os.File, info fs.FileInfo, err error) {
	for range 3 {
		if f, info, err = openRegular(t.Abs); err != nil {
			return nil, info, err
		}
		if t.leadsTo(info) {
			return f, info, nil
		}
		f.Close()
	}
	return nil, info, errReplaced
}

// openRegular opens the regular file at abs. It looks before it opens, since
// opening alone can block on a pipe or wake a device; should one be swapped in
// between, O_NONBLOCK keeps the opening from blocking. With errIrregular, the
// info tells what there is instead.
func openRegular(abs string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(abs)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, errIrregular
	}
	return openChecked(abs)
}

// openChecked is openRegular without the look before.
func openChecked(abs string) (*os.File, fs.FileInfo, error) {
	f, err := openNow(abs)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		f.Close()
		return nil, info, err
	}
	return f, info, nil
}

// openNow opens abs for reading without ever waiting for a writer.
func openNow(abs string) (*os.File, error) {
	return os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// leadsTo reports whether t's path still leads to where Resolve saw it lead,
// and whether what was opened is what is there.
func (t Target) leadsTo(opened fs.FileInfo) bool {
	if t.real == "" {
		return true
	}
	dest, err := realPath(t.Abs)
	if err != nil || dest != t.real {
		return false
	}
	there, err := os.Lstat(dest)
	return err == nil && os.SameFile(there, opened)
}

// special names what is neither a regular file nor a directory.
func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}
