//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// holds: an open file can be replaced, so it can stay locked meanwhile.
	holds = true
	// openFlags: opening a pipe does not wait for the other end.
	openFlags = syscall.O_NONBLOCK
)

// own locks f until it is closed, and does not wait. It fails where a file system has no locks.
func own(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// chownLike gives f the owner and group of info's file, as far as permitted.
func chownLike(f *handle, info fs.FileInfo) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.chown(-1, int(st.Gid)) // a member of the group may set the group alone
	}
}

// isLike reports whether a new file has the owner and group of an old one, which has no other hard links.
func isLike(_ Disk, _ string, by fs.FileInfo, _ string, old fs.FileInfo) bool {
	one, ok := by.Sys().(*syscall.Stat_t)
	other, too := old.Sys().(*syscall.Stat_t)
	return !ok || !too || one.Uid == other.Uid && one.Gid == other.Gid && other.Nlink <= 1
}

// private reports whether a file or folder belongs to this user, and no other user may access it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
