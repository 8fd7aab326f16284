package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Disk reads and writes whole files; its zero value is ready to use. It keeps no state, so its methods are safe for
// concurrent use; another goroutine that writes the same file counts as another program. Paths are absolute.
type Disk struct {
	// Root, if set, is the only folder beneath which the Disk reads and changes files, even while another program swaps its
	// contents for links. Its own links must have been followed: once it leads elsewhere, nothing is read or changed.
	Root string

	// Call, if set, is called in place of each system call that reads or changes a file: op names the system call, path is
	// the file that it is about, and do makes it. Tests make system calls fail there.
	Call func(op, path string, do func() error) error

	// Recovered, if set, receives the outcome of recovering a save that another process
	// died in. It is called within Recover and Commit.
	Recovered func(what string)

	// AllowSave, if set, is called for each file of such a save before the save is undone;
	// an error postpones that. It is not called for the changes of a Commit.
	AllowSave func(path string) error
}

// File is what a file on disk holds.
type File struct {
	Text  string // without the byte order mark
	BOM   bool
	Stamp Stamp
}

// Stamp identifies the content of a file; "" stands for no file. It is a hash, since time and
// size miss a quick change of the same length, and report a mere touch as a change.
type Stamp string

// otherStamp is the stamp of anything but a regular file.
const otherStamp Stamp = "other"

// StampOf returns the stamp of a file that holds content.
func StampOf(content []byte) Stamp {
	sum := sha256.Sum256(content)
	return Stamp(hex.EncodeToString(sum[:]))
}

// Read reads a text file. The error wraps fs.ErrNotExist, [ErrNotRegular] or [ErrNotUTF8], and names the path.
func (d Disk) Read(path string) (File, error) {
	content, _, err := d.readRegular(path)
	if err != nil {
		return File{}, err
	}
	if !utf8.Valid(content) {
		return File{}, &fs.PathError{Op: "open", Path: path, Err: ErrNotUTF8}
	}
	f := File{Stamp: StampOf(content)}
	f.Text, f.BOM = strings.CutPrefix(string(content), text.BOM)
	return f, nil
}

// readRegular reads the file at path.
func (d Disk) readRegular(path string) ([]byte, fs.FileInfo, error) {
	f, info, err := d.openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(f)
	return content, info, err
}

// Look returns the stamp of the file at path now, without keeping its content. The error
// wraps [ErrNotRegular], or is the system's.
func (d Disk) Look(path string) (Stamp, error) {
	f, _, err := d.openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	return f.stamp()
}

// lookAt is like Look, but follows no link, and returns otherStamp for a file that is not regular.
func (d Disk) lookAt(path string) (Stamp, error) {
	info, err := d.Lstat(path)
	switch {
	case isNowhere(err):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return otherStamp, nil
	}
	return d.Look(path)
}

// openRegular opens the regular file at path for reading. It checks the kind of the file
// first, since opening a device may have effects, and again once the file is open.
func (d Disk) openRegular(path string) (*handle, fs.FileInfo, error) {
	info, err := d.stat(path)
	if err != nil {
		return nil, nil, err
	}
	irregular := &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	if !info.Mode().IsRegular() {
		return nil, nil, irregular
	}
	f, err := d.open(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular
	}
	if err != nil {
		_ = f.Close()
	}
	return f, info, err
}

// stamp returns the stamp of the rest of f.
func (f *handle) stamp() (Stamp, error) {
	h := sha256.New()
	_, err := io.Copy(h, f)
	return Stamp(hex.EncodeToString(h.Sum(nil))), err
}

// Follow returns the path that path's symlinks lead to. The last of them may lead to a file that does not exist yet.
func (d Disk) Follow(path string) (string, error) {
	for range 40 { // as many as Linux follows
		info, err := d.Lstat(path)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return path, err
		}
		if missing || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		target, err := get(d, "readlink", path, false, (*os.Root).Readlink)
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

// Errors that a caller may want to tell apart, with errors.Is.
var (
	// ErrNotUTF8: the bytes are not UTF-8, so they cannot be edited as text without corrupting them.
	ErrNotUTF8 = errors.New("not valid UTF-8")
	// ErrNotRegular: the path names something that is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotDurable: everything is saved, but a crash might still undo it.
	ErrNotDurable = errors.New("it is saved, but the disk does not say that it will stay")
	// ErrLocked: another program has the file locked, and may be changing it.
	ErrLocked = errors.New("another program has locked it")
	// errHeld is for a system that does not say whether the file is locked or access is denied.
	errHeld = fmt.Errorf("%w, or you may not change it", ErrLocked)
)

// ChangedError says that a file was not saved because another program changed it after it was read or saved last.
type ChangedError struct {
	Path string // the file that was looked at, symlinks resolved
	How  string // "changed", "deleted" or "created"
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was %s by another program since it was read", e.Path, e.How)
}

// HalfSavedError says that saving failed, and that what was saved before could not be put
// back. Its text says which files hold what.
type HalfSavedError struct {
	Cause     error
	Leftovers []error
}

func (e *HalfSavedError) Error() string {
	return fmt.Sprintf("%v; %s", e.Cause, strings.Join(lists.Map(e.Leftovers, error.Error), "; "))
}

func (e *HalfSavedError) Unwrap() error { return e.Cause }
