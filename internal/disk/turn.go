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
	f, _ := d.waitFor(ctx, "turn") // it is a courtesy
	if f == nil {
		return func() {}
	}
	return func() { _ = f.Close() }
}

// waitFor locks the file of that name beside the journals until it is closed. After [turnPatience] the error
// is [ErrLocked]. There is no file where there is no folder for it.
func (d Disk) waitFor(ctx context.Context, name string) (f *handle, err error) {
	if f, err = d.lockFile(name); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, turnPatience)
	defer stop()
	for err = f.own(); errors.Is(err, ErrLocked) && ctx.Err() == nil; err = f.own() {
		select {
		case <-time.After(turnPause):
		case <-ctx.Done():
		}
	}
	return f, err
}

// lockFile opens a file that is locked. It is beside the journals, and stays.
func (d Disk) lockFile(name string) (f *handle, err error) {
	for _, dir := range journalFolders() {
		var in Disk
		if in, err = makePrivate(d, dir); err != nil {
			continue
		}
		path := filepath.Join(dir, name)
		if f, err = in.open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); errors.Is(err, fs.ErrExist) {
			f, err = in.open(path, os.O_RDWR|openFlags, 0)
		}
		if err == nil {
			return f, nil
		}
	}
	return nil, err
}
