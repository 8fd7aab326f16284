//go:build linux

package shadow

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/workspace/paths"
)

// lock makes a file one that no program can write here, and says so. It does nothing if that is so already.
func (k *keeper) lock(path, editor, as string) {
	var at unix.Statfs_t
	if unix.Statfs(path, &at) != nil || at.Flags&unix.MS_RDONLY != 0 || unix.Mount(path, path, "", unix.MS_BIND, "") != nil {
		return
	}
	k.locked[path] = true
	kept := uintptr(at.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	if unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|kept, "") != nil {
		k.unlock(path)
		return
	}
	fmt.Fprintf(k.out, "patchls run: %s is open in %s as %s, so the program cannot write it; save and close it there first\n",
		paths.OneLine(path, paths.MaxShownPath), editor, as)
}

// unlock ends a lock. A file that another program has put in its place has none.
func (k *keeper) unlock(path string) {
	_ = unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	delete(k.locked, path)
}
