package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchls/patchls/internal/contention"
)

// Turn waits until no other process of this user is in its turn. If two processes read a file, plan its change
// and save it, the second one then reads what the first one saved. The turn ends when done is called or the
// process ends. It is a courtesy: if nothing can be locked, and after [contention.Patience], the process goes on, and
// Commit still refuses to overwrite the other's text.
func (d Disk) Turn(ctx context.Context) (done func()) {
	f, _ := d.waitFor(ctx, "turn") // it is a courtesy
	if f == nil {
		return func() {}
	}
	return func() { _ = f.Close() }
}

// waitFor locks the file of that name next to the journals until f is closed. The file is never removed. After
// [contention.Patience] the error is [ErrLocked]. f is nil if the lock file cannot be opened.
func (d Disk) waitFor(ctx context.Context, name string) (f *handle, err error) {
	f, err = d.inJournalFolder(func(in Disk) (*handle, error) {
		path := filepath.Join(in.Root, name)
		lock, err := in.open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return in.open(path, os.O_RDWR|openFlags, 0)
		}
		return lock, err
	})
	if err != nil {
		return nil, err
	}
	return f, contention.Retry(func(err error) bool { return errors.Is(err, ErrLocked) && ctx.Err() == nil }, f.own)
}
