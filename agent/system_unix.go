//go:build unix

package agent

import (
	"io/fs"
	"syscall"
)

const (
	supported = true
	// openFlags: not through a link, and without waiting for a pipe's other end.
	openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
)

func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// alive reports whether a process of this user runs under pid. Another user's is
// none that left a discovery file of ours.
func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
