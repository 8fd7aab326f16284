package watch

import (
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/patchls/patchls/workspace/paths"
)

// Notifier tells of the files that are written in folders, those below them left out. It is safe for
// concurrent use.
type Notifier interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
}

// Folders are the folders of the open documents, watched for a client that does not tell of files
// that change. Its exported fields are set before the first use; it is safe for concurrent use.
type Folders struct {
	// Start returns what tells of files, nil if nothing need. It is called once, when the first
	// document was opened.
	Start func() (Notifier, error)
	Log   *slog.Logger

	mu   sync.Mutex
	from Notifier       // nil before the first document, and where none can be had
	open map[string]int // documents in each folder
	over bool           // none is watched any more
}

// Open watches the folder of a document that was opened.
func (f *Folders) Open(key paths.Key) {
	f.count(key, 1)
}

// Close watches the folder of a document that was closed no more, if that was the last one.
func (f *Folders) Close(key paths.Key) {
	f.count(key, -1)
}

func (f *Folders) count(key paths.Key, n int) {
	abs, isFile := key.FilePath()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !isFile || f.over || !f.started() {
		return
	}
	folder := filepath.Dir(abs)
	was := f.open[folder]
	f.open[folder] = max(0, was+n)
	var err error
	switch now := f.open[folder]; {
	case was == 0 && now > 0:
		err = f.from.Add(folder)
	case was > 0 && now == 0:
		delete(f.open, folder)
		err = f.from.Remove(folder)
	}
	if err != nil {
		f.Log.Debug("a folder is not watched", "folder", folder, "error", err)
	}
}

// started reports whether folders can be watched. It needs the lock.
func (f *Folders) started() bool {
	if f.from != nil {
		return true
	}
	from, err := f.Start()
	if err != nil {
		f.Log.Warn("files that other programs write are not watched", "error", err)
	}
	f.over = err != nil || from == nil
	f.from, f.open = from, map[string]int{}
	return !f.over
}

// End ends the watching.
func (f *Folders) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	if f.from != nil {
		_ = f.from.Close() // nothing is told any more either way
	}
}
