package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/patchls/patchls/editors/headless/internal/disk"
)

// create plans a CreateFile: an empty buffer, which becomes a file when saved.
func (p *plan) create(c *DocumentChange) error {
	_, err := p.target(c.URI)
	switch {
	case err == nil && c.Options.IgnoreIfExists:
		return nil
	case err == nil:
		return fmt.Errorf("%s exists", c.URI)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return p.createFrom(c.URI, nil)
}

// rename plans a RenameFile: a new buffer takes over the text and the history.
// Saving it makes the new file and removes the old one.
func (p *plan) rename(c *DocumentChange) error {
	from, err := p.file(c.OldURI)
	if err != nil {
		return err
	}
	switch _, err := p.file(c.NewURI); {
	case err == nil:
		return fmt.Errorf("%s exists", c.NewURI)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	from.away = true
	return p.createFrom(c.NewURI, from)
}

// remove plans a DeleteFile: the document is closed, and its file goes when the
// document is saved. Folders are refused.
func (p *plan) remove(c *DocumentChange) error {
	t, err := p.file(c.URI)
	if errors.Is(err, ErrNotUTF8) { // its text does not matter
		t, err = p.unread(c.URI)
	}
	if err == nil {
		t.away = true
	}
	return err
}

func (p *plan) createFrom(uri string, from *target) error {
	name, err := nameOfURI(uri)
	if err != nil {
		return err
	}
	p.add(&target{b: p.e.newBuffer(name), isNew: true, created: true, from: from})
	return nil
}

// file is target for documents that are files.
func (p *plan) file(uri string) (*target, error) {
	t, err := p.target(uri)
	if err == nil && t.b.path == "" {
		return nil, fmt.Errorf("%s: %w", uri, ErrNoFile)
	}
	return t, err
}

// unread is the target of a file that has no text.
func (p *plan) unread(uri string) (*target, error) {
	name, err := nameOfURI(uri)
	if err != nil {
		return nil, err
	}
	b := p.e.newBuffer(name)
	if b.stamp, err = p.e.disk.Look(name.path); err != nil {
		return nil, err
	}
	return p.add(&target{b: b, isNew: true, unread: true}), nil
}

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
	was := old.State()
	b.set(func(s *State) { s.Text, s.cursor = was.Text, was.cursor })
	b.undo, b.redo, b.bom = old.undo, old.redo, old.bom
	b.renamed = slices.Clone(old.renamed)
	if old.stamp.Exists() {
		b.renamed = append(b.renamed, old.key)
	}
}
