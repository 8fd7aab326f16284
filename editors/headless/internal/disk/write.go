package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// writable refuses a file that may not be written. Renaming would not notice:
// it needs the folder's permission only.
func (d Disk) writable(path string) error {
	info, err := d.stat(path)
	if err == nil && info.Mode().Perm()&0o222 == 0 { // root may write it, but is not asked to
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

// writeTemp writes content to a new file next to path, with the mode and owner of
// path's file, or where there is none of like's, and returns its name. The journal
// removes it, also when this fails.
func (j *journal) writeTemp(path string, content []byte, like fs.FileInfo) (temp string, err error) {
	info, err := j.d.stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = like
	case err != nil:
		return "", err
	}
	mode := fs.FileMode(0o666) // the umask takes its part
	if info != nil {
		mode = 0o600 // nobody else may look in until the mode is right
	}
	if temp, err = j.temp(path); err != nil {
		return "", err
	}
	f, err := j.d.open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrPermission) { // the name means nothing to anybody
		err = &fs.PathError{Op: "write to the folder", Path: filepath.Dir(path), Err: fs.ErrPermission}
	}
	if err != nil {
		return "", err
	}
	return temp, f.become(content, info)
}

// become gives a new file its content and, unless info is nil, the mode and owner of that
// file, and closes it.
func (f *handle) become(content []byte, info fs.FileInfo) error {
	_, err := f.Write(content)
	if err == nil && info != nil {
		chownLike(f, info) // before chmod: it clears the set-id bits
		err = f.chmod(info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	return f.end(err)
}

// fill makes content all that is in a file, and closes it.
func (f *handle) fill(content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.truncate(int64(len(content)))
	}
	return f.end(err)
}

// end closes a file that was written, once it is on disk unless err says what failed before.
func (f *handle) end(err error) error {
	if err == nil {
		err = f.sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// place gives the file at temp the name path, which nothing must have. Where a file can
// have but one name, an empty one takes the place first.
func (j *journal) place(temp, path string) error {
	err := j.d.link(temp, path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		if err := j.note(note{Hold: path}); err != nil {
			return err
		}
		var f *handle
		if f, err = j.d.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			if err = j.d.rename(temp, path); err != nil {
				_ = j.d.remove(path)
			}
			return err
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &ChangedError{path, "created"}
	}
	return err
}

// mkdirAll is os.MkdirAll that also makes the new folders' names durable. The journal
// knows those that it makes.
func (j *journal) mkdirAll(dir string) error {
	info, err := j.d.stat(dir)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	parent := filepath.Dir(dir)
	if err == nil || errors.Is(err, ErrOutside) || parent == dir {
		return err
	}
	if err := j.mkdirAll(parent); err != nil {
		return err
	}
	if err := j.note(note{Dir: dir}); err != nil {
		return err
	}
	if err := j.d.mkdir(dir, 0o777); errors.Is(err, fs.ErrExist) {
		j.dirs = j.dirs[:len(j.dirs)-1] // somebody else has made it
	} else if err != nil {
		return err
	}
	return j.d.syncDir(parent)
}

// syncDir makes the names in dir durable, where the file system can.
func (d Disk) syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such thing
	}
	f, err := d.open(dir, os.O_RDONLY, 0)
	if err != nil {
		return nil // a folder that may be written but not read
	}
	defer func() { _ = f.Close() }()
	if err := f.sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
