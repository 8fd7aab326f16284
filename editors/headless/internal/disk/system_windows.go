package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const (
	// holds: a file that is open cannot be replaced.
	holds     = false
	openFlags = 0
)

// own locks f until it is closed: a byte far behind its end, since no other
// program could read one that is locked.
func own(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// chownLike does nothing: the owner is the folder's business here.
func chownLike(*handle, fs.FileInfo) {}

// sameOwner is true: owners are not looked at here.
func sameOwner(_, _ fs.FileInfo) bool { return true }

// hasOtherNames is false: links are not looked at here.
func hasOtherNames(fs.FileInfo) bool { return false }

// private is true: the folders of a user's profile are.
func private(fs.FileInfo) bool { return true }
