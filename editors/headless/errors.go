package headless

import (
	"errors"
	"fmt"

	"github.com/patchls/patchls/editors/headless/internal/disk"
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
	ErrNotUTF8 = disk.ErrNotUTF8
	// ErrNotRegular: the path names something that is not a regular file.
	ErrNotRegular = disk.ErrNotRegular
	// ErrNotDurable: all is saved, and a crash might yet undo it.
	ErrNotDurable = disk.ErrNotDurable
	// ErrLocked: another program has the file locked, and may be changing it.
	ErrLocked = disk.ErrLocked
	// ErrSymlink: the file that was renamed is a symbolic link, which the editor
	// cannot move.
	ErrSymlink = errors.New("it is a symbolic link, which can be edited and deleted but not moved")
	// ErrBadRange: an offset is outside of the text, or inside a code point.
	ErrBadRange = errors.New("no such place in the text")
)

// errNotOpen: the document is no file, and not open.
var errNotOpen = errors.New("not open")

// StaleError says that an edit is of another version than the buffer's.
type StaleError struct {
	Want, Have int32 // of the edit, of the buffer
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("it has changed: the edit is for version %d, the buffer has %d", e.Want, e.Have)
}

// DiskChangedError says that a file was not saved because another program
// changed it after it was read or saved last: Path is the file that was looked at,
// symlinks resolved, How "changed", "deleted" or "created".
type DiskChangedError = disk.ChangedError

// SaveError says which of several documents could not be saved, so that none was; or, if
// it wraps a *[HalfSavedError], not all; or, if it wraps [ErrNotDurable], that all were.
type SaveError struct {
	URI string
	Err error
}

func (e *SaveError) Error() string { return e.Err.Error() }
func (e *SaveError) Unwrap() error { return e.Err }

// HalfSavedError says that saving failed, which is its Cause, and that what was saved
// before could not be put back. Its text says which files hold what.
type HalfSavedError = disk.HalfSavedError
