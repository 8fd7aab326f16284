package headless

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Errors that a caller may want to tell apart, with errors.Is.
var (
	// ErrServerGone: the connection to the server has ended.
	ErrServerGone = errors.New("the language server is gone")
	// ErrBufferClosed: the buffer was closed.
	ErrBufferClosed = errors.New("the buffer is closed")
	// ErrAlreadyOpen: OpenText was given the URI of an open buffer.
	ErrAlreadyOpen = errors.New("the document is open already")
	// ErrNoFile: the buffer has no place on disk (its URI is not a file's).
	ErrNoFile = errors.New("the buffer belongs to no file")
	// ErrNotUTF8: the bytes are not UTF-8, so they cannot be edited as text
	// without corrupting them.
	ErrNotUTF8 = errors.New("not valid UTF-8")
	// ErrNotRegular: the path names something that is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotDurable: all is saved, and a crash might yet undo it.
	ErrNotDurable = errors.New("it is saved, but the disk does not say that it will stay")
	// ErrLocked: another program has the file locked, and may be changing it.
	ErrLocked = errors.New("another program has locked it")
	// ErrSymlink: the file that was renamed is a symbolic link, which the editor
	// cannot move.
	ErrSymlink = errors.New("it is a symbolic link, which can be edited and deleted but not moved")
	// ErrBadRange: an offset is outside of the text, or inside a code point.
	ErrBadRange = errors.New("no such place in the text")
)

// errNotOpen: the document is no file, and not open.
var errNotOpen = errors.New("not open")

// staleError says that an edit is of another version than the buffer's.
type staleError struct {
	uri        string
	want, have int32 // of the edit, of the buffer
}

func (e *staleError) Error() string {
	return fmt.Sprintf("%s has changed: the edit is for version %d, the buffer has %d", e.uri, e.want, e.have)
}

// DiskChangedError says that a file was not saved because another program
// changed it after it was read or saved last. [Buffer.SaveForce] overwrites it.
type DiskChangedError struct {
	Path string // the file that was looked at, symlinks resolved
	How  string // "changed", "deleted" or "created"
}

func (e *DiskChangedError) Error() string {
	return fmt.Sprintf("%s was %s by another program since it was read", e.Path, e.How)
}

// SaveError says which of several documents could not be saved, so that none was; or, if
// it wraps a *[HalfSavedError], not all; or, if it wraps [ErrNotDurable], that all were.
type SaveError struct {
	URI string
	Err error
}

func (e *SaveError) Error() string { return e.Err.Error() }
func (e *SaveError) Unwrap() error { return e.Err }

// HalfSavedError says that saving failed, and that what was saved before could not be put
// back. Its text says which files hold what.
type HalfSavedError struct {
	Cause error
	Left  []error
}

func (e *HalfSavedError) Error() string {
	left := make([]string, len(e.Left))
	for i, err := range e.Left {
		left[i] = err.Error()
	}
	return fmt.Sprintf("%v; %s", e.Cause, strings.Join(left, "; "))
}

func (e *HalfSavedError) Unwrap() error { return e.Cause }

// leftError says what a change has left that could not be put back because of err.
func (c *change) leftError(d disk, err error) error {
	if now, unseen := d.sumAt(c.path); unseen != nil || c.step.Kind == replaces && now != c.step.Sum {
		return fmt.Errorf("whether %s has the old text or the new one could not be seen (%w); the other one is in %s", c.path, err, cmp.Or(c.step.Kept, c.step.Spare))
	}
	switch c.step.Kind {
	case removes:
		return fmt.Errorf("%s could not be put back (%w) and is in %s", c.path, err, c.step.Spare)
	case makes:
		return fmt.Errorf("%s was made and could not be removed (%w)", c.path, err)
	case fills:
		return fmt.Errorf("%s has the new text or a part of it, since the old one could not be put back (%w), which is in %s", c.path, err, c.step.Kept)
	}
	old := c.step.Spare
	if d.exists(string(c.step.Kept)) {
		old = c.step.Kept
	}
	return fmt.Errorf("%s has the new text, since the old one could not be put back (%w), which is in %s", c.path, err, old)
}
