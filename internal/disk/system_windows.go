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

// hasOtherNames reports whether the file at path has another name, where it can be opened.
func hasOtherNames(path string, _ fs.FileInfo) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var info windows.ByHandleFileInformation
	return windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) == nil && info.NumberOfLinks > 1
}

// private is true: the folders of a user's profile are.
func private(fs.FileInfo) bool { return true }
