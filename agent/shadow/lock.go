//go:build linux

package shadow

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

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

// hold stops the program, with all that it has started, while an editor does not answer, which may have any file open
// with unsaved text. What the user has suspended stays so. hold stops nothing once the user has sent a signal, which a
// stopped program could not follow.
func (k *keeper) hold(silent error) {
	switch {
	case silent != nil && k.asked.Err() == nil:
		if k.stopped == nil {
			fmt.Fprintf(k.out, "patchls run: the program waits: %v\n", silent)
			k.stopped = map[int]bool{}
		}
		for sent := map[int]bool{}; ; {
			n := len(sent)
			for _, pid := range processes() { // a shell that sees its child stop would take the terminal
				if !sent[pid] && !isStopped(pid) {
					sent[pid], k.stopped[pid] = true, true
					_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
				}
			}
			if len(sent) == n { // they can start no more
				return
			}
		}
	case k.stopped != nil:
		for _, pid := range slices.Backward(processes()) {
			if k.stopped[pid] {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
		k.stopped = nil
	}
}

// processes returns the program and what it has started: the processes of this namespace, but for the keeper.
func processes() (all []int) {
	namespace := func(pid int) string {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", pid)) // of one that has ended, and of another user's, none
		return name
	}
	own := namespace(os.Getpid())
	if own == "" || own == namespace(os.Getppid()) {
		return nil
	}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil && pid != os.Getpid() && namespace(pid) == own {
			all = append(all, pid)
		}
	}
	slices.Sort(all)
	return all
}
