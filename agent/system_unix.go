//go:build unix

package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// openFlags: not through a link, and without waiting for a pipe's other end.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// folder is where servers leave their discovery files. It rests on HOME alone: that is the only variable
// of those that could say it which every MCP client hands on to the servers that it starts.
func folder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = fmt.Errorf("the home folder %q is not an absolute path", home)
	}
	return filepath.Join(home, ".local", "state", "patchls", "editors"), err
}

// mkdirPrivate makes a folder that this user alone can enter.
func mkdirPrivate(dir string) error { return os.Mkdir(dir, 0o700) }

// createPrivate makes a file that this user alone can open. It is not there yet.
func createPrivate(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// openToOthers says how others than the user may open path, "" if they cannot.
func openToOthers(_ string, info fs.FileInfo) string {
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Sprintf("its mode is %#o", perm)
	}
	return ""
}

func ownerOf(_ string, info fs.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// alive reports whether a process of this user runs under pid. Another user's is
// none that left a discovery file of ours.
func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
