//go:build linux

package shadow

import (
	"cmp"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/workspace/paths"
)

// lock makes a file, whose text in an editor the program cannot see, one that no program can write here. It tells the user
// once, also that it cannot.
func (k *keeper) lock(f agent.File) {
	var at unix.Statfs_t
	if unix.Statfs(f.Path, &at) != nil || at.Flags&unix.MS_RDONLY != 0 {
		return // the file is gone, or is locked
	}
	err := unix.Mount(f.Path, f.Path, "", unix.MS_BIND, "")
	if err == nil {
		kept := uintptr(at.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
		if err = unix.Mount("", f.Path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|kept, ""); err != nil {
			_ = unix.Unmount(f.Path, unix.MNT_DETACH)
		}
	}
	if k.locked[f.Path] {
		return
	}
	k.locked[f.Path] = true
	is, so := "has unsaved text in %s that is not shown to the program", ", so the program cannot write it; save it there first"
	if f.As != "" {
		is, so = "is open in %s as "+f.As, ", so the program cannot write it; save and close it there first"
	}
	if err != nil {
		so = fmt.Sprintf(". The program may write it beneath that all the same, since it cannot be made read-only here: %v", err)
	}
	fmt.Fprintf(k.out, "patchls run: %s "+is+"%s\n", paths.OneLine(f.Path, paths.MaxShownPath), cmp.Or(f.Editor.Live().Name, "an editor"), so)
}

// unlock ends the lock of a file, if it has one. A file that another program has put in its place has none.
func (k *keeper) unlock(path string) {
	if k.locked[path] {
		_ = unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		delete(k.locked, path)
	}
}
