package headless

import (
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// versioned returns the text that the edits of a document are of, and what
// happened to it since. drop says that they are not to be made and nobody is to be
// told. An error is a no.
func (p *plan) versioned(t *target, id DocumentID) (base text.Text, changes []edits.Edits, drop bool, err error) {
	err = p.checkVersion(t, id)
	var stale *staleError
	if !errors.As(err, &stale) {
		return t.text, nil, false, err
	}
	switch p.e.opts.Persona.Edits.Stale {
	case StaleDropped:
		return t.text, nil, true, nil
	case StaleApplied:
		return t.text, nil, false, nil
	case StaleRebased:
		if base, changes, ok := t.b.since(stale.want); ok {
			return base, changes, false, nil
		}
	case StaleRefused, StaleError:
	}
	return t.text, nil, false, err
}

// checkVersion is target.checkVersion, without what the persona leaves out.
func (p *plan) checkVersion(t *target, id DocumentID) error {
	habits := &p.e.opts.Persona.Edits
	switch {
	case id.unversioned && habits.VersionNeeded:
		return errors.New("attempt to compare number with nil")
	case habits.FirstOnly && p.index > 0,
		id.Version == nil && habits.NullUnchecked,
		t.isNew && habits.ClosedUnchecked,
		id.Version != nil && *id.Version == 0 && habits.ZeroUnchecked,
		id.Version != nil && *id.Version >= t.b.now.Load().version && habits.OlderOnly:
		return nil
	}
	return t.checkVersion(id)
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
