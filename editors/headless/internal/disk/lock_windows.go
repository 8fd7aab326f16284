package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const (
	// holds: a file that is open cannot be replaced.
	holds     = false
	openFlags = 0
)

// own locks f until it is closed: a byte far behind its end, since nobody else could
// read one that is locked.
func own(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
