package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Every call to the system names its file from an open folder ([os.Root]): the root that
// holds it, or where a disk has no roots the file's own folder. A link that is swapped in
// for a folder while the call is made leads nowhere then, instead of out of the root. The
// links that were there before are followed first, since an os.Root takes none that are
// absolute.

// ErrOutside says that the path leads out of the disk's roots.
var ErrOutside = errors.New("it is outside the folders that may be written")

// at makes a call about the file at path, named from an open folder. follow says whether
// the call follows a link at path itself.
func (d Disk) at(op, path string, follow bool, call func(from *os.Root, name string) error) error {
	return d.do(op, path, func() error {
		from, name, err := d.folderOf(path, follow)
		if err == nil {
			err = call(from, name)
			if from != d.folder {
				_ = from.Close()
			}
		}
		return about(op, path, err)
	})
}

// about makes an error be about path, whatever the system called the file.
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
	if d.folder != nil {
		name, err = filepath.Rel(d.folder.Name(), path)
		return d.folder, name, err
	}
	real, err := followed(path, follow)
	if err != nil {
		return nil, "", err
	}
	root, name := filepath.Split(real)
	if d.Roots != nil {
		if root, name, err = rootOf(d.Roots, path, real); err != nil {
			return nil, "", err
		}
	}
	from, err = os.OpenRoot(root)
	return from, name, err
}

// followed follows the links of path, or those of its folder alone.
func followed(path string, last bool) (string, error) {
	if last || path == filepath.Dir(path) {
		return filepath.EvalSymlinks(path)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// rootOf returns which of the roots holds the file at path, which is at real if links are
// followed, and its name from there.
func rootOf(roots []string, path, real string) (root, name string, err error) {
	err = ErrOutside
	for _, root := range roots {
		if path == root {
			return root, ".", nil
		}
		top, gone := filepath.EvalSymlinks(root)
		if gone != nil {
			err = gone
			continue
		}
		if name, no := filepath.Rel(top, real); no == nil && filepath.IsLocal(name) {
			return top, name, nil
		}
	}
	return "", "", err
}
