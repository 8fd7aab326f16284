package headless

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// Save writes the buffer to its file, with the byte order mark that the file
// had, and tells the server if it wants to know. A buffer that is not dirty is
// left alone. The error wraps [ErrNoFile] or [ErrBufferClosed], is a
// *[DiskChangedError] when another program changed the file, wraps
// fs.ErrPermission when the file is write-protected, [ErrLocked] when another
// program has it locked, or is the disk's. Unless it wraps [ErrNotDurable], or is
// a *[HalfSavedError], the files are as they were.
func (b *Buffer) Save() error {
	if b.Closed() {
		return fmt.Errorf("save %s: %w", b.path, ErrBufferClosed)
	}
	_, err := b.e.save(b.docName)
	return err
}

// SaveAll saves the documents of these URIs, each as patchls/save does: one that was
// deleted is deleted from disk, and with one that was renamed the old file goes. All
// of them are saved, or none. The error is a *[SaveError] of one as for [Buffer.Save], or of one that says
// that there is no such document.
func (e *Editor) SaveAll(uris ...string) error {
	names := make([]docName, len(uris))
	for i, uri := range uris {
		var err error
		if names[i], err = nameOfURI(uri); err != nil {
			return &SaveError{uri, err}
		}
	}
	if failed, err := e.save(names...); err != nil {
		return &SaveError{failed.uri, err}
	}
	return nil
}

// Turn waits, for two seconds at most, until no other process of this user's is between its Turn and done: so
// what is read after it and saved before done has not been read by another process meanwhile that saves it, too.
func (e *Editor) Turn(ctx context.Context) (done func()) { return e.disk.Turn(ctx) }

// save saves documents, all or none of them, and returns the one at fault.
// [Options.AllowSave] is asked for all that is touched, without the lock.
func (e *Editor) save(names ...docName) (failed docName, err error) {
	if allow := e.opts.AllowSave; allow != nil {
		e.mu.Lock()
		list, at, err := e.savings(names)
		e.mu.Unlock()
		if err != nil {
			return at, err
		}
		for _, s := range list {
			for _, c := range s.changes {
				if err := allow(c.Path); err != nil {
					return s.docName, saveError(s.changes[0], err)
				}
			}
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list, failed, err := e.savings(names)
	if err != nil {
		return failed, err
	}
	return e.commit(list)
}

// saveError says which change an error is of.
func saveError(c *disk.Change, err error) error {
	what := "save"
	if c.Remove {
		what = "delete"
	}
	return fmt.Errorf("%s %s: %w", what, c.Path, err)
}

// savings plans the saving of documents. It needs e.mu.
func (e *Editor) savings(names []docName) (list []*saving, failed docName, err error) {
	for _, name := range names {
		s, err := e.saving(name)
		if err != nil {
			return nil, name, err
		}
		if s != nil && !slices.ContainsFunc(list, func(o *saving) bool { return o.key == s.key }) {
			list = append(list, s)
		}
	}
	// A file that was renamed goes with its buffer, and is perhaps named as well.
	return slices.DeleteFunc(list, func(s *saving) bool {
		return s.b == nil && slices.ContainsFunc(list, func(o *saving) bool { return o.b != nil && slices.Contains(o.keys, s.key) })
	}), docName{}, nil
}

// saving is one document that is about to be saved. It lives under e.mu.
type saving struct {
	docName
	b       *Buffer // nil: it is deleted
	state   State
	changes []*disk.Change
	keys    []string // of the removals that are carried out
}

// saving plans the saving of a document, nil if there is nothing to save of it.
func (e *Editor) saving(name docName) (*saving, error) {
	s := &saving{docName: name, b: e.buffers[name.key]}
	_, removed := e.removals[name.key]
	switch {
	case s.b == nil && removed:
		s.remove(e, name.key)
		return s, nil
	case s.b == nil:
		return nil, fmt.Errorf("save %s: the document is not open", name.uri)
	case name.path == "":
		return nil, fmt.Errorf("save %s: %w", name.uri, ErrNoFile)
	case !s.b.Dirty():
		return nil, nil
	}
	err := s.write()
	return s, err
}

// write plans to write the buffer, after all that was pending. A file that was renamed,
// or was deleted and comes back, has the mode that it had.
func (s *saving) write() error {
	b := s.b
	b.habits.BeforeSave()
	s.state = b.State()
	c := &disk.Change{Path: b.path, Old: b.stamp, Like: b.e.removed[b.key]}
	s.changes = []*disk.Change{c}
	for _, key := range b.renamed {
		s.remove(b.e, key)
	}
	for _, gone := range s.changes[1:] {
		if gone.Like != nil && gone.Like.Mode().Type() == fs.ModeSymlink { // a plain file would take its place
			return fmt.Errorf("save %s: %w", b.path, &fs.PathError{Op: "move", Path: gone.Path, Err: ErrSymlink})
		}
		c.Like = gone.Like
	}
	return nil
}

// remove plans to carry out a removal, if there is one.
func (s *saving) remove(e *Editor, key string) {
	if r, ok := e.removals[key]; ok {
		info, _ := e.disk.Lstat(r.path) // if that fails, removing it says why
		s.changes = append(s.changes, &disk.Change{Path: r.path, Remove: true, Old: r.stamp, Like: info})
		s.keys = append(s.keys, key)
	}
}

// commit saves the documents as planned, all or none of them, and tells the server. It returns
// the one at fault.
func (e *Editor) commit(list []*saving) (failed docName, err error) {
	var all []*disk.Change
	of := map[*disk.Change]*saving{}
	for _, s := range list {
		if s.b != nil {
			s.changes[0].Content = s.b.Content(s.state.Text)
		}
		for _, c := range s.changes {
			all = append(all, c)
			of[c] = s
		}
	}
	at, err := e.disk.Commit(all...)
	if err == nil || errors.Is(err, ErrNotDurable) {
		for _, s := range list {
			s.done(e)
		}
	}
	if err == nil {
		return docName{}, nil
	}
	return of[at].docName, saveError(at, err)
}

// done makes the editor know that it is on disk.
func (s *saving) done(e *Editor) {
	for _, key := range s.keys {
		delete(e.removals, key)
	}
	for _, c := range s.changes {
		if c.Remove && c.Like != nil && c.Like.Mode().IsRegular() {
			e.removed[keyOfPath(c.Path)] = c.Like
		}
	}
	if s.b == nil {
		return
	}
	s.b.stamp = disk.StampOf(s.changes[0].Content)
	s.state.saved, s.state.onDisk = s.state.Text, true
	s.b.SetState(s.state)
	s.b.renamed = nil
	s.b.habits.Saved(&s.state)
}

// Content returns what the buffer's file holds when it has that text.
func (b *Buffer) Content(t text.Text) []byte {
	out := make([]byte, 0, len(text.BOM)+t.Len())
	if b.bom {
		out = append(out, text.BOM...)
	}
	for run := range t.Runs() {
		out = append(out, run...)
	}
	return b.habits.File(out)
}
