//go:build unix

package headless

import (
	"io/fs"
	"os"
	"syscall"
)

// chownLike gives f the owner and group of info's file, as far as permitted.
func chownLike(f *os.File, info fs.FileInfo) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid)) // a member may give to the group
	}
}
