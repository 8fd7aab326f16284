package watch

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/patchls/patchls/workspace/paths"
)

// Notifier reports the files that are written in folders, not those in their subfolders. It is
// safe for concurrent use. It reports nothing after Close has returned.
type Notifier interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
}

// Folders watches the folders of the open documents. Its exported fields are set before the first
// use; it is safe for concurrent use, and its methods do not wait for the system.
type Folders struct {
	// Start returns the notifier, nil if there is none. It is called once, when the first document
	// was opened.
	Start func() (Notifier, error)
	Go    func(f func(ctx context.Context))
	Log   *slog.Logger

	mu   sync.Mutex
	open map[string]int // the number of open documents in each folder

	asking sync.Mutex // one goroutine asks the system at a time
	from   Notifier   // nil before the first document, and if no notifier can be had
	over   bool       // no folder is watched any more
}

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
	if f.over || f.from == nil && !f.start() {
		return
	}
	f.mu.Lock()
	open := f.open[folder]
	f.mu.Unlock()
	do := f.from.Remove
	if open > 0 {
		do = f.from.Add // also if the folder was removed and made anew
	}
	if err := do(folder); err != nil {
		f.Log.Debug("a folder is not watched", "folder", folder, "error", err)
	}
}

// start starts the notifier, and reports whether folders can be watched.
func (f *Folders) start() bool {
	from, err := f.Start()
	if err != nil {
		f.Log.Warn("files that other programs write are not watched", "error", err)
	}
	f.from, f.over = from, err != nil || from == nil
	return !f.over
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
