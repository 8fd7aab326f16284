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

// sameOwner reports whether two files are the same owner's and group's.
func sameOwner(a, b fs.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, too := b.Sys().(*syscall.Stat_t)
	return !ok || !too || one.Uid == other.Uid && one.Gid == other.Gid
}

// hasOtherNames reports whether there are hard links to the file.
func hasOtherNames(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
