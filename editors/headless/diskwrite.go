package headless

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// write makes content the whole content of the file at path, a symlink's target
// if path is one: a reader sees the old content or the new, also after a crash.
// Mode and, where permitted, owner stay; other hard links keep the old content.
// If old is not nil, the file must still be as *old says, and must not be
// write-protected. Missing folders are made.
//
// written says that the file has the new content. An error with it says that a
// crash might yet undo that.
func (d disk) write(path string, content []byte, old *stamp) (written bool, err error) {
	if path, err = follow(path); err != nil {
		return false, err
	}
	if old != nil {
		if err := d.unchanged(path, *old); err != nil {
			return false, err
		}
		if err := writable(path); err != nil {
			return false, err
		}
	}
	if err := d.mkdirAll(filepath.Dir(path)); err != nil {
		return false, err
	}
	tmp, err := d.writeTemp(path, content)
	if err != nil {
		return false, err
	}
	// Looked at again, since writing took its time.
	if old != nil {
		err = d.unchanged(path, *old)
	}
	if err == nil {
		err = d.may("rename", path)
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return false, err
	}
	return true, d.syncDir(filepath.Dir(path))
}

// writable refuses a file that may not be written. Renaming would not notice:
// it needs the folder's permission only.
func writable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode().Perm()&0o222 == 0 { // root may write it, but is not asked to
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err == nil {
		return f.Close()
	}
	return nil // renaming will tell
}

// remove removes the file at path, which must still be as old says. removed and
// the error are as for write.
func (d disk) remove(path string, old stamp) (removed bool, err error) {
	err = d.unchanged(path, old)
	if err == nil {
		err = d.may("remove", path)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return false, err
	}
	return true, d.syncDir(filepath.Dir(path))
}

// writeTemp writes content to a new file next to path, with path's mode and
// owner, and returns its name. Nothing is left behind when it fails.
func (d disk) writeTemp(path string, content []byte) (name string, err error) {
	mode := fs.FileMode(0o666) // the umask takes its part
	info, err := os.Stat(path)
	switch {
	case err == nil:
		mode = 0o600 // nobody else may look in until the mode is right
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	default:
		return "", err
	}
	f, err := d.createTemp(path, mode)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	steps := []struct {
		name string
		do   func() error
	}{
		{"write", func() error { _, err := f.Write(content); return err }},
		{"mode", func() error {
			if info == nil {
				return nil
			}
			chownLike(f, info) // before chmod: it clears the set-id bits
			return f.Chmod(info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
		}},
		{"sync", f.Sync},
		{"close", f.Close},
	}
	for _, s := range steps {
		if err := d.may(s.name, path); err != nil {
			return "", err
		}
		if err := s.do(); err != nil {
			return "", err
		}
	}
	return f.Name(), nil
}

// createTemp is os.CreateTemp with a mode.
func (d disk) createTemp(path string, mode fs.FileMode) (*os.File, error) {
	if err := d.may("create", path); err != nil {
		return nil, err
	}
	dir, base := filepath.Split(path)
	if len(base) > 64 { // a name has at most 255 bytes
		base = base[:64]
	}
	for n := 0; ; n++ {
		name := filepath.Join(dir, "."+base+".patchls-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) || n > 10000 {
			return f, err
		}
	}
}

// mkdirAll is os.MkdirAll that also makes the new folders' names durable.
func (d disk) mkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if err := d.mkdirAll(parent); err != nil {
		return err
	}
	if err := d.may("mkdir", dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.syncDir(parent)
}

// syncDir makes the names in dir durable, where the file system can.
func (d disk) syncDir(dir string) error {
	if err := d.may("syncdir", dir); err != nil {
		return err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil // a folder that may be written but not read
	}
	defer func() { _ = f.Close() }()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
