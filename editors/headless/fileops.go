package headless

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/patchls/patchls/edits"
)

// create plans a CreateFile: an empty buffer, which becomes a file when saved.
// overwrite wins over ignoreIfExists.
func (p *plan) create(uri string, overwrite, ignoreIfExists bool) error {
	t, err := p.target(uri)
	switch {
	case err == nil && overwrite:
		if n := t.text.Len(); n > 0 {
			t.replace(edits.Edits{{Start: 0, End: n}})
		}
		return nil
	case err == nil && ignoreIfExists:
		return nil
	case err == nil:
		return fmt.Errorf("%s exists", uri)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	_, err = p.createFrom(uri, nil)
	return err
}

// rename plans a RenameFile: a new buffer takes over the text and the history.
// Saving it makes the new file and removes the old one.
func (p *plan) rename(oldURI, newURI string, overwrite, ignoreIfExists bool) error {
	from, err := p.file(oldURI)
	if err != nil {
		return err
	}
	switch to, err := p.anyFile(newURI); {
	case err == nil && (to == from || ignoreIfExists && !overwrite):
		return nil
	case err == nil && overwrite:
		to.away = true
	case err == nil:
		return fmt.Errorf("%s exists", newURI)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	from.away = true
	_, err = p.createFrom(newURI, from)
	return err
}

// remove plans a DeleteFile: the document is closed, and its file goes when the
// document is saved. Folders are refused.
func (p *plan) remove(uri string, ignoreIfNotExists bool) error {
	t, err := p.anyFile(uri)
	switch {
	case err == nil:
		t.away = true
	case ignoreIfNotExists && errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

func (p *plan) createFrom(uri string, from *target) (*target, error) {
	key, path, err := keyOfURI(uri)
	if err != nil {
		return nil, err
	}
	return p.add(&target{b: p.e.newBuffer(key, uri, path), isNew: true, created: true, from: from}), nil
}

// file is target for documents that are files.
func (p *plan) file(uri string) (*target, error) {
	t, err := p.target(uri)
	if err == nil && t.b.path == "" {
		return nil, fmt.Errorf("%s: %w", uri, ErrNoFile)
	}
	return t, err
}

// anyFile is file for files of which the text does not matter, if they have any.
func (p *plan) anyFile(uri string) (*target, error) {
	t, err := p.file(uri)
	if !errors.Is(err, ErrNotUTF8) {
		return t, err
	}
	key, path, err := keyOfURI(uri)
	if err != nil {
		return nil, err
	}
	b := p.e.newBuffer(key, uri, path)
	if b.stamp, err = p.e.disk.Look(path); err != nil {
		return nil, err
	}
	return p.add(&target{b: b, isNew: true, unread: true}), nil
}
