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
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode().Perm()&0o222 == 0 { // root may write it, but is not asked to
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	f, err := d.open(path, os.O_WRONLY|openFlags, 0)
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err == nil {
		return f.Close()
	}
	return nil // renaming will tell
}

// writeTemp writes content to a new file next to path, with the mode and owner of
// path's file, or where there is none of like's, and returns its name. The journal
// removes it, also when this fails.
func (d Disk) writeTemp(j *journal, path string, content []byte, like fs.FileInfo) (name string, err error) {
	info, err := d.stat(path)
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
	f, err := d.createTemp(j, path, mode)
	if err != nil {
		return "", err
	}
	return f.Name(), f.become(content, info)
}

// become gives a new file its content and, unless info is nil, the mode and owner of that
// file, and closes it.
func (f *handle) become(content []byte, info fs.FileInfo) error {
	_, err := f.Write(content)
	if err == nil && info != nil {
		chownLike(f, info) // before chmod: it clears the set-id bits
		err = f.chmod(info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	if err == nil {
		err = f.sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// createTemp makes a file next to path that the journal knows, which removes it.
func (d Disk) createTemp(j *journal, path string, mode fs.FileMode) (f *handle, err error) {
	name, err := j.temp(path)
	if err != nil {
		return nil, err
	}
	f, err = d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrPermission) { // the name means nothing to anybody
		err = &fs.PathError{Op: "write to the folder", Path: filepath.Dir(path), Err: fs.ErrPermission}
	}
	return f, err
}

// place gives the file at name the name path, which nothing must have. Where a file can
// have but one name, hold is called before an empty one takes the place.
func (d Disk) place(hold func() error, name, path string) error {
	err := d.link(name, path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		if hold != nil {
			if err := hold(); err != nil {
				return err
			}
		}
		var f *handle
		if f, err = d.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			if err = d.rename(name, path); err != nil {
				_ = d.remove(path)
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
func (d Disk) mkdirAll(j *journal, dir string) error {
	switch info, err := d.stat(dir); {
	case errors.Is(err, ErrOutside):
		return err
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case err == nil:
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	if err := d.mkdirAll(j, parent); err != nil {
		return err
	}
	if err := j.note(note{Dir: name(dir)}); err != nil {
		return err
	}
	if err := d.mkdir(dir, 0o777); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		j.dirs = j.dirs[:len(j.dirs)-1] // somebody else has made it
	}
	return d.syncDir(parent)
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
