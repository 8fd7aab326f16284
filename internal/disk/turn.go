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
	turnPatience = 2 * time.Second      // much longer than a turn takes
	turnPause    = 2 * time.Millisecond // between two attempts to lock
)

// Turn waits until no other process of this user is in its turn. If two processes read a file, plan its change
// and save it, the second one then reads what the first one saved. The turn ends when done is called or the
// process ends. It is a courtesy: if nothing can be locked, and after [turnPatience], the process goes on, and
// Commit still refuses to overwrite the other's text.
func (d Disk) Turn(ctx context.Context) (done func()) {
	f, _ := d.waitFor(ctx, "turn") // it is a courtesy
	if f == nil {
		return func() {}
	}
	return func() { _ = f.Close() }
}

// waitFor locks the file of that name next to the journals until f is closed. After [turnPatience] the error
// is [ErrLocked]. f is nil if the lock file cannot be opened.
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

// lockFile opens the lock file of that name. The file is next to the journals, and is never removed.
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
