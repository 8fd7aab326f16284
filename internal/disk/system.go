package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/patchls/patchls/internal/contention"
)

// File operations of a Disk go through [Disk.do], so that a test can make each call fail, have another program step in
// before it, or let the process die at it. The list of journals is read without it.
//
// Every such call names its file relative to an open folder ([os.Root]): the Disk's root, or the file's own folder if the
// Disk has none. So a link that is swapped in for a folder during the call leads nowhere, instead of out of the root. Links
// that existed before are followed first, since an os.Root follows no absolute link.

// ErrOutside says that the path leads out of the disk's root.
var ErrOutside = errors.New("it is outside the folders that may be written")

// do makes one call; op names it, and path the file that it is about.
func (d Disk) do(op, path string, f func() error) error {
	if d.Call == nil {
		return f()
	}
	return d.Call(op, path, f)
}

// at makes a call about the file at path, named from an open folder. follow says whether
// the call follows a link at path itself.
func (d Disk) at(op, path string, follow bool, call func(from *os.Root, name string) error) error {
	return d.do(op, path, func() error {
		isHeld := func(err error) bool { return isHeld(op, err) }
		err := contention.Retry(isHeld, func() error {
			from, name, err := d.folderOf(path, follow)
			if err == nil {
				err = call(from, name)
				_ = from.Close()
			}
			return err
		})
		if isHeld(err) {
			err = errHeld
		}
		return about(op, path, err)
	})
}

// get is [Disk.at] for a call with a result.
func get[T any](d Disk, op, path string, follow bool, call func(from *os.Root, name string) (T, error)) (result T, err error) {
	err = d.at(op, path, follow, func(from *os.Root, name string) (err error) {
		result, err = call(from, name)
		return err
	})
	return result, err
}

// isHeld reports whether a call failed because another program has the file open. A removal is not tried
// again: the file is left over, and a later save removes it.
func isHeld(op string, err error) bool {
	return op != "remove" && contention.Sharing(err) || op == "rename" && contention.Denied(err)
}

// about returns err as an error about path, under whatever name the system knows the file.
func about(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	} else if of, ok := errors.AsType[*os.LinkError](err); ok {
		err = of.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// folderOf opens the folder that the file at path is named from.
func (d Disk) folderOf(path string, follow bool) (from *os.Root, name string, err error) {
	real, err := followLinks(path, follow)
	if err != nil {
		return nil, "", err
	}
	if d.Root == "" {
		folder, file := filepath.Split(real) // the slash at its end makes the system say so if it is a file
		from, err = os.OpenRoot(folder)
		return from, file, err
	}
	if name, err = filepath.Rel(d.Root, real); err != nil || !filepath.IsLocal(name) {
		return nil, "", ErrOutside
	}
	if from, err = os.OpenRoot(d.Root); err == nil && !d.isRoot(from) {
		_ = from.Close()
		return nil, "", ErrOutside
	}
	return from, name, err
}

// isRoot reports whether an open folder is the root: no link has taken its place, or that of a folder above.
func (d Disk) isRoot(from *os.Root) bool {
	opened, err := from.Stat(".")
	there, missing := os.Lstat(d.Root)
	if err != nil || missing != nil || !os.SameFile(opened, there) {
		return false
	}
	real, _ := filepath.EvalSymlinks(d.Root) // after an error "", which is below no root
	rel, err := filepath.Rel(d.Root, real)
	return err == nil && rel == "."
}

// followLinks follows the links in path. Unless last is set, it follows only those of the folder.
func followLinks(path string, last bool) (string, error) {
	if last || path == filepath.Dir(path) {
		return filepath.EvalSymlinks(path)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

func (d Disk) stat(path string) (fs.FileInfo, error) {
	return get(d, "stat", path, true, (*os.Root).Stat)
}

// Lstat is [os.Lstat], as a call of this Disk.
func (d Disk) Lstat(path string) (fs.FileInfo, error) {
	return get(d, "lstat", path, false, (*os.Root).Lstat)
}

// link gives the file at old a second name in its folder.
func (d Disk) link(old, path string) error {
	return d.at("link", path, false, func(from *os.Root, name string) error { return from.Link(beside(name, old), name) })
}

// rename gives the file at old another name in its folder.
func (d Disk) rename(old, path string) error {
	return d.at("rename", path, false, func(from *os.Root, name string) error { return from.Rename(beside(name, old), name) })
}

// beside returns the name of the file at path, which is in the same folder as name.
func beside(name, path string) string { return filepath.Join(filepath.Dir(name), filepath.Base(path)) }

// exchange swaps the names of two files in one folder atomically. The error wraps
// errors.ErrUnsupported where that is not possible.
func (d Disk) exchange(spare, path string) error {
	return d.at("exchange", path, false, func(from *os.Root, name string) error {
		dir, err := from.Open(filepath.Dir(name))
		if err != nil {
			return err
		}
		defer func() { _ = dir.Close() }()
		err = exchange(dir, filepath.Base(spare), filepath.Base(name))
		if errors.Is(err, syscall.EINVAL) { // from a file system that cannot exchange names
			err = errors.ErrUnsupported
		}
		return err
	})
}

// remove is os.Remove, except that a missing file is no error.
func (d Disk) remove(path string) error {
	err := d.at("remove", path, false, func(from *os.Root, name string) error { return from.Remove(name) })
	if isNowhere(err) {
		return nil
	}
	return err
}

// isNowhere reports whether err says that no file exists at a path, which includes that a
// file has taken the place of a folder.
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

// SameButForCase reports whether a and b are names of one file that differ in case alone.
func SameButForCase(a, b string) bool {
	return a != b && strings.EqualFold(a, b) && Disk{}.same(a, b)
}

// IgnoresCase reports whether the file or folder at path is also found by its name in other case. A name without
// letters has the result of its folder.
func IgnoresCase(path string) bool {
	dir, name := filepath.Split(path)
	other := strings.ToUpper(name)
	if other == name {
		other = strings.ToLower(name)
	}
	switch up := filepath.Dir(path); {
	case other != name:
		return SameButForCase(path, dir+other)
	case up != path:
		return IgnoresCase(up)
	}
	return runtime.GOOS == "windows"
}

// writable returns an error if the file at path, with this info, may not be written. Renaming would not
// notice: it needs only the folder's permission.
func (d Disk) writable(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 { // root may write it, but is not asked to
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	f, err := d.open(path, os.O_WRONLY|openFlags, 0)
	switch {
	case err == nil:
		return f.Close()
	case errors.Is(err, fs.ErrPermission):
		return err
	}
	return nil // renaming will tell
}

// syncDir makes the names in dir durable, where the file system can; unless synced is nil, with all that was written to a
// file system that is not in synced.
func (d Disk) syncDir(dir string, synced map[uint64]bool) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such thing
	}
	f, err := d.open(dir, os.O_RDONLY, 0)
	if err != nil {
		return nil // a folder that may be written but not read
	}
	defer func() { _ = f.Close() }()
	if synced != nil {
		return f.do("syncfs", func() error { return syncAll(f.f, synced) })
	}
	if err := f.sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// handle is an open file of a disk.
type handle struct {
	d    Disk
	f    *os.File
	path string
	late bool // what is written to it is made durable later
}

func (d Disk) open(path string, flag int, mode fs.FileMode) (*handle, error) {
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	f, err := get(d, op, path, flag&os.O_EXCL == 0, func(from *os.Root, name string) (*os.File, error) {
		return from.OpenFile(name, flag, mode)
	})
	if err != nil && f != nil { // a test has failed a call that was made
		_ = f.Close()
	}
	return &handle{d: d, f: f, path: path}, err
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

func (f *handle) sync() error { return f.do("sync", f.f.Sync) }

// lock locks f until it is closed, if the file can be replaced while it is open. It does not
// wait: the holder of a lock is about to change the file. Having no locks is not an error.
func (f *handle) lock() error {
	if !holds {
		return nil
	}
	if err := f.own(); errors.Is(err, ErrLocked) {
		return err
	}
	return nil
}

// own locks f until it is closed, and fails where there are no locks.
func (f *handle) own() error { return f.do("lock", func() error { return own(f.f) }) }

// Close closes the file even if a test makes the call fail.
func (f *handle) Close() error {
	defer func() { _ = f.f.Close() }()
	return f.do("close", f.f.Close)
}

// isInPlace returns nil if f is still the file at its path.
func (f *handle) isInPlace() error {
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := f.d.stat(f.path); err != nil || !os.SameFile(open, there) {
		return &ChangedError{f.path, "changed"}
	}
	return nil
}

// become gives a new file its content and, unless info is nil, the mode and owner of info's file, and closes the new file.
func (f *handle) become(content []byte, info fs.FileInfo) error {
	_, err := f.Write(content)
	if err == nil && info != nil {
		chownLike(f, info) // on Unix before chmod: it clears the set-id bits
		mode := info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		err = f.do("chmod", func() error { return f.f.Chmod(mode) })
	}
	return f.end(err)
}

// fill overwrites a file with content and closes it.
func (f *handle) fill(content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.do("truncate", func() error { return f.f.Truncate(int64(len(content))) })
	}
	return f.end(err)
}

// end makes a file durable that was written, and closes it. If err is not nil, it closes the file and returns err.
func (f *handle) end(err error) error {
	if err == nil && !f.late {
		err = f.sync()
	}
	return cmp.Or(err, f.Close())
}
