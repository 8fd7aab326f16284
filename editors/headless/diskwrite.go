package headless

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

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

// writeTemp writes content to a new file next to path, with the mode and owner of
// path's file, or where there is none of like's, and returns its name. Nothing is left
// behind when it fails.
func (d disk) writeTemp(path string, content []byte, like fs.FileInfo) (name string, err error) {
	info, err := os.Stat(path)
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
func (d disk) createTemp(path string, mode fs.FileMode) (f *os.File, err error) {
	if err := d.may("create", path); err != nil {
		return nil, err
	}
	_, err = unusedName(path, func(name string) error {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		return err
	})
	if errors.Is(err, fs.ErrPermission) { // the name means nothing to anybody
		err = &fs.PathError{Op: "write to the folder", Path: filepath.Dir(path), Err: fs.ErrPermission}
	}
	return f, err
}

// unusedName returns the first name next to path at which try does not find that
// something exists, and try's error.
func unusedName(path string, try func(name string) error) (string, error) {
	dir, base := filepath.Split(path)
	if len(base) > 64 { // a name has at most 255 bytes
		base = base[:64]
	}
	for n := 0; ; n++ {
		name := filepath.Join(dir, "."+base+".patchls-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(n))
		if err := try(name); !errors.Is(err, fs.ErrExist) || n > 10000 {
			return name, err
		}
	}
}

// mkdirAll is os.MkdirAll that also makes the new folders' names durable. It returns
// those that it made, also with an error, the innermost last.
func (d disk) mkdirAll(dir string) (made []string, err error) {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil, nil
	}
	parent := filepath.Dir(dir)
	if made, err = d.mkdirAll(parent); err != nil {
		return made, err
	}
	if err := d.may("mkdir", dir); err != nil {
		return made, err
	}
	switch err := os.Mkdir(dir, 0o777); {
	case err == nil:
		made = append(made, dir)
	case !errors.Is(err, fs.ErrExist):
		return made, err
	}
	return made, d.syncDir(parent)
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
