package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// Save writes the buffer to its file, with the byte order mark that the file had, and notifies the server. A buffer that is
// not dirty is left alone. The error wraps [ErrNoFile] or [ErrBufferClosed], wraps a *[disk.ChangedError] when another
// program changed the file, wraps fs.ErrPermission when the file is write-protected, [disk.ErrLocked] when another program
// has it locked, or is another error of the disk. Unless it wraps [disk.ErrNotDurable] or a *[disk.HalfSavedError], the
// files are unchanged.
func (b *Buffer) Save() error {
	if b.Closed() {
		return fmt.Errorf("save %s: %w", b.path, ErrBufferClosed)
	}
	return b.e.save(b.docName)
}

// SaveAll saves the documents of these URIs, all of them or none. As with patchls/save, saving a deleted document deletes
// its file, and saving a renamed document also deletes the old file. The error is a *[SaveError] for the document at fault,
// whose Err is as for [Buffer.Save] or says that there is no such document.
func (e *Editor) SaveAll(uris ...string) error {
	names := make([]docName, len(uris))
	for i, uri := range uris {
		var err error
		if names[i], err = nameOfURI(uri); err != nil {
			return &SaveError{uri, err}
		}
	}
	return e.save(names...)
}

// save saves documents, all or none of them. The error is a *[SaveError].
// [disk.Disk.AllowSave] is asked for every file that is touched.
func (e *Editor) save(names ...docName) error {
	e.Lock()
	defer e.Unlock()
	list, err := e.savings(names)
	if err != nil {
		return err
	}
	var all []*disk.Change
	for _, s := range list {
		for _, c := range s.changes {
			if allow := e.disk.AllowSave; allow != nil {
				if err := allow(c.Path); err != nil {
					return saveError(s, s.changes[0], err)
				}
			}
		}
		all = append(all, s.changes...)
	}
	at, err := e.disk.Commit(all...)
	if err == nil || errors.Is(err, disk.ErrNotDurable) {
		for _, s := range list {
			s.done(e)
		}
	}
	if err == nil {
		return nil
	}
	i := slices.IndexFunc(list, func(s *saving) bool { return slices.Contains(s.changes, at) })
	return saveError(list[i], at, err)
}

// saveError adds to err the change that failed, and its document.
func saveError(of *saving, c *disk.Change, err error) error {
	what := "save"
	if c.Remove {
		what = "delete"
	}
	return &SaveError{of.uri, fmt.Errorf("%s %s: %w", what, c.Path, err)}
}

// savings plans the saving of documents. It needs the editor's lock.
func (e *Editor) savings(names []docName) (list []*saving, err error) {
	for _, name := range names {
		s, err := e.saving(name)
		if err != nil {
			return nil, &SaveError{name.uri, err}
		}
		if s != nil && !slices.ContainsFunc(list, func(o *saving) bool { return o.key == s.key }) {
			list = append(list, s)
		}
	}
	// A renamed file is removed with its buffer, and is skipped if it is named as well.
	return slices.DeleteFunc(list, func(s *saving) bool {
		return s.b == nil && slices.ContainsFunc(list, func(o *saving) bool { return o.b != nil && slices.Contains(o.b.renamed, s.key) })
	}), nil
}

// saving is one document that is about to be saved. It is used under the editor's lock.
type saving struct {
	docName
	b       *Buffer // nil if the document is deleted
	changes []*disk.Change
}

// saving plans the saving of a document, after sending pending notifications. It returns nil if there is nothing
// to save. A file that was renamed, or deleted and created again, keeps its mode.
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
	b := s.b
	b.habits.BeforeSave()
	c := &disk.Change{Path: b.path, Content: b.Content(b.State().Text), Old: b.stamp, Like: e.removed[b.key]}
	s.changes = []*disk.Change{c}
	for _, key := range b.renamed {
		s.remove(e, key)
	}
	for _, gone := range s.changes[1:] {
		if gone.Like != nil && gone.Like.Mode().Type() == fs.ModeSymlink { // a plain file would take its place
			return nil, fmt.Errorf("save %s: %w", b.path, &fs.PathError{Op: "move", Path: gone.Path, Err: ErrSymlink})
		}
		c.Like = gone.Like
	}
	return s, nil
}

// remove plans to carry out the removal of the file with this key, if there is one.
func (s *saving) remove(e *Editor, key string) {
	if r, ok := e.removals[key]; ok {
		info, _ := e.disk.Lstat(r.path) // if it fails, the removal reports why
		s.changes = append(s.changes, &disk.Change{Path: r.path, Remove: true, Old: r.stamp, Like: info})
	}
}

// done records that the document is saved, and notifies the server.
func (s *saving) done(e *Editor) {
	for _, c := range s.changes {
		if c.Remove && c.Like != nil && c.Like.Mode().IsRegular() {
			e.removed[keyOfPath(c.Path)] = c.Like
		}
	}
	if s.b == nil {
		delete(e.removals, s.key)
		return
	}
	for _, key := range s.b.renamed {
		delete(e.removals, key)
	}
	s.b.stamp, s.b.renamed = disk.StampOf(s.changes[0].Content), nil
	now := s.b.State()
	now.saved, now.onDisk = now.Text, true
	s.b.SetState(now)
	s.b.habits.Saved(&now)
}

// Content returns the content of the buffer's file for the text t.
func (b *Buffer) Content(t text.Text) []byte {
	s := t.String()
	if b.bom {
		s = text.BOM + s
	}
	return b.habits.File([]byte(s))
}
