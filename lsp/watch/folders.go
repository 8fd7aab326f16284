package watch

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/workspace/paths"
)

// Notifier reports the files that are written in folders, not those in their subfolders. It is
// safe for concurrent use. It reports nothing after Close has returned.
type Notifier interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
}

// Folders watches the folders of the open documents. Folders that the system cannot watch are polled. Its exported fields
// are set before the first use; it is safe for concurrent use, and its methods do not wait for the system.
type Folders struct {
	*host.Host
	// Start returns the notifier, nil if there is none. It is called when the first document was opened,
	// and after an error again.
	Start func() (Notifier, error)
	Poll  func(folders []string) // finds out which files were written in the folders since the last call

	mu   sync.Mutex
	open map[string]int // the number of open documents in each folder

	asking    sync.Mutex // one goroutine asks the system at a time
	from      Notifier   // nil before the first document, and if no notifier can be had
	over      bool       // no folder is watched any more
	told      bool       // the log says that folders cannot be watched
	unwatched map[string]bool
}

// pollEvery is how often the folders that cannot be watched are polled.
const pollEvery = 3 * time.Second

// Open watches the folder of a document that was opened, and then calls then, even if the folder cannot be watched.
func (f *Folders) Open(key paths.Key, then func()) { f.count(key, 1, then) }

// Close stops watching the folder of a document that was closed, if no other document in it is open.
func (f *Folders) Close(key paths.Key) { f.count(key, -1, func() {}) }

func (f *Folders) count(key paths.Key, n int, then func()) {
	abs, isFile := key.FilePath()
	if !isFile {
		return
	}
	folder := filepath.Dir(abs)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[string]int{}
	}
	if f.open[folder] += n; f.open[folder] <= 0 {
		delete(f.open, folder)
	}
	f.Go(func(context.Context) {
		f.ask(folder)
		then()
	})
}

// ask has the system watch a folder if it has open documents now, or stop watching it if not. A
// network file system may be slow.
func (f *Folders) ask(folder string) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.over {
		return
	}
	f.mu.Lock()
	open := f.open[folder]
	f.mu.Unlock()
	if open == 0 {
		delete(f.unwatched, folder)
		if f.from != nil {
			_ = f.from.Remove(folder) // it may have been removed from the disk
		}
		return
	}
	if err := f.add(folder); err == nil {
		delete(f.unwatched, folder)
	} else if !f.unwatched[folder] {
		f.poll(folder, err)
	}
}

// add has the system watch a folder, also if the folder was removed and made anew.
func (f *Folders) add(folder string) (err error) {
	if f.from == nil {
		if f.from, err = f.Start(); err != nil {
			return err
		}
		if f.over = f.from == nil; f.over {
			return nil
		}
	}
	return f.from.Add(folder)
}

// poll polls a folder from now on. It needs the lock.
func (f *Folders) poll(folder string, err error) {
	if !f.told && !errors.Is(err, fs.ErrNotExist) { // a new file may be in a new folder
		f.told = true
		f.Log.Warn("a folder cannot be watched; the files of unsaved documents in it, and in others like it, are looked at every few seconds", "folder", folder, "error", err)
	}
	if f.unwatched == nil {
		f.unwatched = map[string]bool{}
		f.Go(f.pollAll)
	}
	f.unwatched[folder] = true
}

// pollAll polls the folders that cannot be watched.
func (f *Folders) pollAll(ctx context.Context) {
	for f.Sleep(ctx, pollEvery) {
		f.asking.Lock()
		folders := slices.Collect(maps.Keys(f.unwatched))
		f.asking.Unlock()
		for _, folder := range folders {
			f.ask(folder) // the system may be able to watch it by now
		}
		if len(folders) > 0 {
			f.Poll(folders)
		}
	}
}

// End ends the watching.
func (f *Folders) End() {
	f.asking.Lock()
	defer f.asking.Unlock()
	f.over = true
	if f.from != nil {
		_ = f.from.Close() // nothing is reported any more either way
	}
}
