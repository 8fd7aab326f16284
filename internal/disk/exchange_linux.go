package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

func exchange(dir *os.File, a, b string) error {
	return unix.Renameat2(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_EXCHANGE)
}
