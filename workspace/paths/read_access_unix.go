//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package paths

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable reports whether the file's permissions let this user write it. It checks the mode in addition to asking the
// system, which lets root write everything.
func writable(abs string, info fs.FileInfo) bool {
	const writeOK = 2 // access(2): W_OK
	return info.Mode().Perm()&0o222 != 0 && syscall.Access(abs, writeOK) == nil
}

// inodeOf returns the inode of the file at a path, which no link leads to.
func inodeOf(path string) inode {
	is, _ := stampOf(path)
	return is.inode
}

// stampOf returns the stamp of what a path leads to; ok is false if that is nothing.
func stampOf(path string) (s stamp, ok bool) {
	var info unix.Stat_t
	err := unix.Stat(path, &info)
	for errors.Is(err, unix.EINTR) { // as some network file systems say
		err = unix.Stat(path, &info)
	}
	file := inode{uint64(info.Dev), uint64(info.Ino), uint64(info.Nlink)} //nolint:unconvert // their sizes depend on the system
	return stamp{file, info.Ctim.Nano(), info.Mode&unix.S_IFMT == unix.S_IFDIR}, err == nil
}
