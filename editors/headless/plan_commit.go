package headless

import (
	"fmt"

	"github.com/patchls/patchls/edits"
)

// commit does what was planned. A file is opened only to be changed, or to be
// deleted or renamed: so the server sees it go.
func (p *plan) commit() error {
	once := *p.params // so that the same edit, made again, is another
	p.e.applying = &once
	defer func() { p.e.applying = nil }()
	for _, t := range p.order {
		if err := p.e.habits.commit(p, t); err != nil {
			return err
		}
	}
	return nil
}

// commitOne does what was planned of one target. Nothing of it can fail: the disk is left
// alone until the document is saved.
func (p *plan) commitOne(t *target) {
	if t.from != nil {
		t.b.inherit(t.from.b)
	}
	if t.opens() {
		p.e.enter(t.b)
	}
	if len(t.batches) > 0 {
		t.b.apply(p.params.Label, t.batches)
	}
	if t.away {
		p.e.discard(t.b)
	}
}

// opens reports whether the target's buffer is to be opened.
func (t *target) opens() bool {
	return t.isNew && (t.created || len(t.batches) > 0 || t.away && !t.unread)
}

// checkVersion holds the server to what LSP says of versions: the number of an
// open document, or null where the text on disk is meant.
func (t *target) checkVersion(id DocumentID) error {
	s := t.b.now.Load()
	switch {
	case id.Version == nil && (t.isNew || !s.dirty(t.b.path)):
		return nil
	case id.Version == nil:
		return fmt.Errorf("%s: version null means the text on disk, but the buffer (version %d) has unsaved changes", id.URI, s.version)
	case t.isNew:
		return fmt.Errorf("%s is not open, so it has no version %d", id.URI, *id.Version)
	case *id.Version != s.version:
		return &staleError{id.URI, *id.Version, s.version}
	}
	return nil
}

// one is the batch of all edits, if there are any.
func one(es edits.Edits, err error) ([]edits.Edits, error) {
	if len(es) == 0 {
		return nil, err
	}
	return []edits.Edits{es}, err
}

// ofDocument says of an error in which document it is.
func ofDocument(id DocumentID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", id.URI, err)
}
