package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Whatever a disk does with a file goes through [Disk.do]: a test can fail each call, have
// another program step in before it, or let the process die at it. Only the list of
// journals is read without.

// do makes one call; op names it, and path the file that it is about.
func (d Disk) do(op, path string, f func() error) error {
	if d.Call == nil {
		return f()
	}
	return d.Call(op, path, f)
}

func (d Disk) stat(path string) (info fs.FileInfo, err error) {
	err = d.at("stat", path, true, func(from *os.Root, name string) (err error) { info, err = from.Stat(name); return err })
	return info, err
}

// Lstat is [os.Lstat], as a call of this disk's.
func (d Disk) Lstat(path string) (info fs.FileInfo, err error) {
	err = d.at("lstat", path, false, func(from *os.Root, name string) (err error) { info, err = from.Lstat(name); return err })
	return info, err
}

func (d Disk) readlink(path string) (target string, err error) {
	err = d.at("readlink", path, false, func(from *os.Root, name string) (err error) { target, err = from.Readlink(name); return err })
	return target, err
}

func (d Disk) mkdir(path string, mode fs.FileMode) error {
	return d.at("mkdir", path, false, func(from *os.Root, name string) error { return from.Mkdir(name, mode) })
}

// link gives the file at old a second name in its folder.
func (d Disk) link(old, path string) error {
	return d.at("link", path, false, func(from *os.Root, name string) error { return from.Link(beside(name, old), name) })
}

// rename gives the file at old another name in its folder.
func (d Disk) rename(old, path string) error {
	return d.at("rename", path, false, func(from *os.Root, name string) error { return from.Rename(beside(name, old), name) })
}

// beside returns the name of the file at path, which is in the folder of name's.
func beside(name, path string) string { return filepath.Join(filepath.Dir(name), filepath.Base(path)) }

// exchange makes each of two names in a folder that of the other one's file, at once. The
// error is errors.ErrUnsupported where that cannot be done.
func (d Disk) exchange(spare, path string) error {
	return d.at("exchange", path, false, func(from *os.Root, name string) error {
		dir, err := from.Open(filepath.Dir(name))
		if err != nil {
			return err
		}
		defer func() { _ = dir.Close() }()
		return exchange(dir, filepath.Base(spare), filepath.Base(name))
	})
}

// remove is os.Remove; that nothing is there is no error.
func (d Disk) remove(path string) error {
	err := d.at("remove", path, false, func(from *os.Root, name string) error { return from.Remove(name) })
	if isNowhere(err) {
		return nil
	}
	return err
}

// isNowhere reports whether err says that there is nothing, as where a file has taken the
// place of a folder.
func isNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// exists reports whether there may be something at path.
func (d Disk) exists(path string) bool {
	_, err := d.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// same reports whether a and b are names of one file.
func (d Disk) same(a, b string) bool {
	one, err := d.Lstat(a)
	if err != nil {
		return false
	}
	other, err := d.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

// handle is an open file of a disk.
type handle struct {
	d    Disk
	f    *os.File
	path string
}

func (d Disk) open(path string, flag int, mode fs.FileMode) (*handle, error) {
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	f := &handle{d: d, path: path}
	err := d.at(op, path, flag&os.O_EXCL == 0, func(from *os.Root, name string) (err error) {
		f.f, err = from.OpenFile(name, flag, mode)
		return err
	})
	if err != nil {
		if f.f != nil { // a test says no to what was done
			_ = f.f.Close()
		}
		return nil, err
	}
	return f, nil
}

func (f *handle) do(op string, call func() error) error { return f.d.do(op, f.path, call) }

func (f *handle) Read(p []byte) (n int, err error) {
	err = f.do("read", func() (err error) { n, err = f.f.Read(p); return err })
	return n, err
}

func (f *handle) Write(p []byte) (n int, err error) {
	err = f.do("write", func() (err error) { n, err = f.f.Write(p); return err })
	return n, err
}

func (f *handle) Stat() (info fs.FileInfo, err error) {
	err = f.do("fstat", func() (err error) { info, err = f.f.Stat(); return err })
	return info, err
}

func (f *handle) chown(uid, gid int) error {
	return f.do("chown", func() error { return f.f.Chown(uid, gid) })
}

func (f *handle) chmod(mode fs.FileMode) error {
	return f.do("chmod", func() error { return f.f.Chmod(mode) })
}

func (f *handle) truncate(size int64) error {
	return f.do("truncate", func() error { return f.f.Truncate(size) })
}

func (f *handle) sync() error { return f.do("sync", f.f.Sync) }

func (f *handle) lock() error { return f.do("lock", func() error { return lock(f.f) }) }

// own locks f until it is closed, and fails where there are no locks.
func (f *handle) own() error { return f.do("lock", func() error { return own(f.f) }) }

// Close closes the file whatever a test says.
func (f *handle) Close() error {
	err := f.do("close", f.f.Close)
	if closed := f.f.Close(); err == nil && !errors.Is(closed, fs.ErrClosed) {
		return closed
	}
	return err
}
