//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"os"
	"syscall"
)

const (
	// holds: an open file can be replaced, so it can stay locked meanwhile.
	holds = true
	// openFlags: without waiting for a pipe's other end.
	openFlags = syscall.O_NONBLOCK
)

// own locks f until it is closed, and does not wait. It fails where a file system has no
// locks.
func own(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
