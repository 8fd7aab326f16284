//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package paths

import (
	"io/fs"
	"syscall"
)

// writable reports whether the file's permissions let this user write it. It
// checks the mode in addition to asking the system, which lets root write
// everything.
func writable(abs string, info fs.FileInfo) bool {
	const writeOK = 2 // access(2): W_OK
	return info.Mode().Perm()&0o222 != 0 && syscall.Access(abs, writeOK) == nil
}
