//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package paths

import (
	"io/fs"
	"syscall"
)

// writable reports whether the file's permissions let this user write it. It checks the mode in addition to asking the
// system, which lets root write everything.
func writable(abs string, info fs.FileInfo) bool {
	const writeOK = 2 // access(2): W_OK
	return info.Mode().Perm()&0o222 != 0 && syscall.Access(abs, writeOK) == nil
}

// namesOfFile returns how many names the file at a path has, 0 if that is not known.
func namesOfFile(path string) uint64 {
	var info syscall.Stat_t
	if syscall.Lstat(path, &info) != nil {
		return 0
	}
	return uint64(info.Nlink) //nolint:unconvert // its size depends on the system
}
