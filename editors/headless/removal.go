package headless

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/patchls/patchls/editors/headless/internal/disk"
)

// removal is a file that was deleted or renamed in the editor and still is on
// disk, since nothing reaches the disk before it is saved. The editor takes it
// for gone.
type removal struct {
	path  string
	stamp disk.Stamp
}

// notThere is what opening a file gives that does not exist.
func notThere(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// discard closes b, if it is open, and takes its file for gone. It needs e.mu.
func (e *Editor) discard(b *Buffer) {
	e.leave(b)
	if b.stamp.Exists() {
		e.removals[b.key] = removal{b.path, b.stamp}
	}
}

// inherit makes b, which the server has not been told of, continue old under
// another name. It needs e.mu.
func (b *Buffer) inherit(old *Buffer) {
	was := old.now.Load()
	b.now.Store(&state{version: b.e.habits.firstVersion(), text: was.text, cursor: was.cursor})
	b.undo, b.redo, b.bom = old.undo, old.redo, old.bom
	b.form.inherit(old.form)
	b.renamed = slices.Clone(old.renamed)
	if old.stamp.Exists() {
		b.renamed = append(b.renamed, old.key)
	}
}

// mayRemove asks whether the file of a removal may go.
func (e *Editor) mayRemove(key string) error {
	e.mu.Lock()
	r, ok := e.removals[key]
	e.mu.Unlock()
	if allow := e.opts.AllowSave; ok && allow != nil {
		if err := allow(r.path); err != nil {
			return fmt.Errorf("delete %s: %w", r.path, err)
		}
	}
	return nil
}
