//go:build unix

package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// openFlags open no symbolic link, and do not wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// folder returns the folder where servers leave their discovery files. It depends on HOME alone: that is the
// only suitable variable that every MCP client passes on to the servers that it starts.
func folder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = fmt.Errorf("the home folder %q is not an absolute path", home)
	}
	return filepath.Join(home, ".local", "state", "patchls", "editors"), err
}

// mkdirPrivate makes a folder that this user alone can enter.
func mkdirPrivate(dir string) error { return os.Mkdir(dir, 0o700) }

// createPrivate makes a file that this user alone can open. The file must not exist yet.
func createPrivate(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// openToOthers says how users other than this one may open path, "" if they cannot.
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

// alive reports whether a process of this user runs under pid. A process of another
// user cannot have left a discovery file of this user's.
func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
