//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package headless

import (
	"errors"
	"os"
	"syscall"
)

// lock locks f until it is closed. It does not wait: who has the lock is about to
// change the file. Where a file system has no locks, what is read must do.
func lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return nil
}
