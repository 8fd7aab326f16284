package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	turnPatience = 2 * time.Second      // much longer than others are in their turn
	turnPause    = 2 * time.Millisecond // until the lock is asked for again
)

// Turn waits until no other process of this user's is in its turn, so that of two that read a file, plan its
// change and save it, the second one reads what the first one has saved. The turn is over when done is called,
// or the process ends. It is a courtesy: where nothing can be locked, and after [turnPatience], the process
// goes on, and Commit refuses as ever what would be lost.
func (d Disk) Turn(ctx context.Context) (done func()) {
	f, err := d.turnFile()
	if err != nil {
		return func() {}
	}
	ctx, stop := context.WithTimeout(ctx, turnPatience)
	defer stop()
	for errors.Is(f.own(), ErrLocked) && ctx.Err() == nil {
		select {
		case <-time.After(turnPause):
		case <-ctx.Done():
		}
	}
	return func() { _ = f.Close() }
}

// turnFile opens the file that is locked. It is beside the journals, and stays.
func (d Disk) turnFile() (f *handle, err error) {
	for _, dir := range journalFolders() {
		var in Disk
		if in, err = makePrivate(d, dir); err != nil {
			continue
		}
		path := filepath.Join(dir, "turn")
		if f, err = in.open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); errors.Is(err, fs.ErrExist) {
			f, err = in.open(path, os.O_RDWR|openFlags, 0)
		}
		if err == nil {
			return f, nil
		}
	}
	return nil, err
}
