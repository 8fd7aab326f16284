package disk

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func exchange(dir *os.File, a, b string) error {
	return unix.Renameat2(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_EXCHANGE)
}

// syncAll makes durable what was written to the file system of dir, unless that is in synced.
func syncAll(dir *os.File, synced map[uint64]bool) error {
	info, err := dir.Stat()
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		if synced[st.Dev] {
			return nil
		}
		synced[st.Dev] = true
	}
	return unix.Syncfs(int(dir.Fd()))
}
