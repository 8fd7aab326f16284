package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(dir *os.File, a, b string) error {
	err := unix.RenameatxNp(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_SWAP)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return errors.ErrUnsupported
	}
	return err
}
