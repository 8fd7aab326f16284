package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/patchls/patchls/editors/headless/internal/disk"
	"github.com/patchls/patchls/edits"
)

// saving is one document that is about to be saved. It lives under e.mu.
type saving struct {
	uri     string
	key     string
	b       *Buffer // nil: it is deleted
	state   State
	changes []*disk.Change
	keys    []string // of the removals that are carried out
}

// SaveAll saves the documents of these URIs, each as [Editor.SaveURI] does: all of
// them, or none. The error is a *[SaveError].
func (e *Editor) SaveAll(uris ...string) error {
	for _, uri := range uris {
		if err := e.maySaveURI(uri); err != nil {
			return &SaveError{uri, err}
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []*saving
	for _, uri := range uris {
		s, err := e.savingURI(uri)
		switch {
		case err != nil:
			return &SaveError{uri, err}
		case s == nil || slices.ContainsFunc(list, func(o *saving) bool { return o.key == s.key }):
			continue
		}
		s.uri = uri
		list = append(list, s)
	}
	// A file that was renamed goes with its buffer, and is perhaps named as well.
	list = slices.DeleteFunc(list, func(s *saving) bool {
		return s.b == nil && slices.ContainsFunc(list, func(o *saving) bool { return o.b != nil && slices.Contains(o.keys, s.key) })
	})
	if failed, err := e.commit(list...); err != nil {
		return &SaveError{failed.uri, err}
	}
	return nil
}

// maySaveURI asks [Options.AllowSave] for all that saving would touch.
func (e *Editor) maySaveURI(uri string) error {
	name, err := nameOfURI(uri)
	if err != nil {
		return err
	}
	e.mu.Lock()
	b := e.buffers[name.key]
	e.mu.Unlock()
	if b != nil {
		return b.maySave(false)
	}
	return e.mayRemove(name.key)
}

// savingURI plans the saving of a document, nil if there is nothing to save of it.
func (e *Editor) savingURI(uri string) (*saving, error) {
	name, err := nameOfURI(uri)
	if err != nil {
		return nil, err
	}
	b := e.buffers[name.key]
	_, removed := e.removals[name.key]
	switch {
	case b == nil && removed:
		return e.savingRemoval(name.key), nil
	case b == nil:
		return nil, fmt.Errorf("save %s: the document is not open", uri)
	case name.path == "":
		return nil, fmt.Errorf("save %s: %w", uri, ErrNoFile)
	case !b.Dirty():
		return nil, nil
	}
	return b.saving(&b.stamp)
}

// savingRemoval plans to carry out a removal, if there is one.
func (e *Editor) savingRemoval(key string) *saving {
	s := &saving{key: key}
	s.remove(e, key)
	return s
}

func (s *saving) remove(e *Editor, key string) {
	if r, ok := e.removals[key]; ok {
		info, _ := e.disk.Lstat(r.path) // what is wrong with it the removing tells
		s.changes = append(s.changes, &disk.Change{Path: r.path, Remove: true, Old: &r.stamp, Like: info})
		s.keys = append(s.keys, key)
	}
}

// saving plans to write the buffer, after all that was pending. A file that was renamed,
// or was deleted and comes back, has the mode that it had.
func (b *Buffer) saving(old *disk.Stamp) (*saving, error) {
	if es := b.habits.BeforeSave(); len(es) > 0 {
		b.apply("", []edits.Edits{es})
	}
	b.habits.Flush()
	s := &saving{key: b.key, b: b, state: b.State()}
	c := &disk.Change{Path: b.path, Content: b.Content(s.state.Text), Old: old, Like: b.e.removed[b.key]}
	s.changes = []*disk.Change{c}
	for _, key := range b.renamed {
		s.remove(b.e, key)
	}
	for _, gone := range s.changes[1:] {
		if gone.Like != nil && gone.Like.Mode().Type() == fs.ModeSymlink { // a plain file would take its place
			return nil, fmt.Errorf("save %s: %w", b.path, &fs.PathError{Op: "move", Path: gone.Path, Err: ErrSymlink})
		}
		c.Like = gone.Like
	}
	return s, nil
}

// write saves the buffer and what it was renamed from. It needs e.mu.
func (b *Buffer) write(old *disk.Stamp) error {
	s, err := b.saving(old)
	if err == nil {
		_, err = b.e.commit(s)
	}
	return err
}

// commit carries out what was planned, all or nothing of it, and tells the server. It
// returns the one at fault. It needs e.mu.
func (e *Editor) commit(list ...*saving) (failed *saving, err error) {
	var all []*disk.Change
	of := map[*disk.Change]*saving{}
	for _, s := range list {
		for _, c := range s.changes {
			all = append(all, c)
			of[c] = s
		}
	}
	at, done, err := e.disk.Commit(all...)
	if done {
		for _, s := range list {
			s.done(e)
		}
	}
	if err == nil {
		return nil, nil
	}
	what := "save"
	if at.Remove {
		what = "delete"
	}
	return of[at], fmt.Errorf("%s %s: %w", what, at.Path, err)
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

// SaveURI saves the document of that URI as patchls/save does, so that one which
// was deleted is deleted from disk. The error is as for [Buffer.Save], or says
// that there is no such document.
func (e *Editor) SaveURI(uri string) error {
	err := e.SaveAll(uri)
	if of, ok := errors.AsType[*SaveError](err); ok {
		return of.Err
	}
	return err
}
