package watch

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/patchls/patchls/workspace/paths"
)

// Notifier tells of the files that are written in folders, those below them left out. It is safe for
// concurrent use. Nothing is told any more when Close has returned.
type Notifier interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
}

// Folders are the folders of the open documents, which are watched. Its exported fields are set
// before the first use; it is safe for concurrent use, and its methods do not wait for the system.
type Folders struct {
	// Start returns what tells of files, nil if nothing does. It is called once, when the first
	// document was opened.
	Start func() (Notifier, error)
	Go    func(f func(ctx context.Context))
	Log   *slog.Logger

	mu   sync.Mutex
	open map[string]int // documents in each folder

	asking sync.Mutex // one asks the system at a time
	from   Notifier   // nil before the first document, and where none can be had
	over   bool       // none is watched any more
}

// Open watches the folder of a document that was opened, and calls then once it is watched, if it can be.
func (f *Folders) Open(key paths.Key, then func()) { f.count(key, 1, then) }

// Close watches the folder of a document that was closed no more, if that was the last one.
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

// ask has the system watch a folder, or not, as its documents are by now. A network's file system
// may take its time.
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
		do = f.from.Add // also of one that was removed and made anew
	}
	if err := do(folder); err != nil {
		f.Log.Debug("a folder is not watched", "folder", folder, "error", err)
	}
}

// start reports whether folders can be watched.
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
		_ = f.from.Close() // nothing is told any more either way
	}
}
