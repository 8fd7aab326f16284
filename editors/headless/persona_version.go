package headless

import (
	"errors"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// versioned returns the text that the edits of a document are of, and what
// happened to it since. drop says that they are not to be made and nobody is to be
// told. An error is a no.
func (q *quirks) versioned(p *plan, t *target, id DocumentID) (base text.Text, changes []edits.Edits, drop bool, err error) {
	err = q.checkVersion(p, t, id)
	var stale *staleError
	if !errors.As(err, &stale) {
		return t.text, nil, false, err
	}
	switch q.Edits.Stale {
	case StaleDropped:
		return t.text, nil, true, nil
	case StaleApplied:
		return t.text, nil, false, nil
	case StaleRebased:
		if base, changes, ok := docOf(t.b).since(stale.want); ok {
			return base, changes, false, nil
		}
	case StaleRefused, StaleError:
	}
	return t.text, nil, false, err
}

// checkVersion is target.checkVersion, without what the persona leaves out.
func (q *quirks) checkVersion(p *plan, t *target, id DocumentID) error {
	habits := &q.Edits
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
