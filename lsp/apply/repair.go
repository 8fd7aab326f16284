package apply

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
)

// An edit in the wrong place is taken out again, by the inverse of the change that made it, carried over the changes since.

// removeMisplaced takes all misplaced edits out of the text. It returns an error if one is left.
func (a *request) removeMisplaced(ctx context.Context) error {
	for a.repair(ctx) {
		a.mu.Lock()
		a.misplaced = a.misplaced[:max(0, len(a.misplaced)-1)] // it has none if the text that had them was thrown away
		a.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.misplaced) > 0 {
		return a.change.Failure(edits.NotSettled, "The editor made the edit of %s where it does not belong, and it could not be taken out there; view it before anything else.", a.change.Path)
	}
	return nil
}

// lastMisplaced returns the change that takes the newest misplaced edit out of the text of doc. moved
// is whether the user has put text of that edit elsewhere, for example by joining or moving lines.
func (a *request) lastMisplaced() (c changeset.Changeset, doc *workspace.Document, moved bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.misplaced) == 0 || a.newest == nil || a.desynced {
		return nil, nil, false
	}
	last := a.misplaced[len(a.misplaced)-1]
	since := a.since(last.end)
	return changeset.TakeBack(last.change, since), a.newest, isMoved(last.change.Invert(), []workspace.Step{{Change: since}})
}

// removeParts takes out the parts that were made of an edit in several places, if only the
// editor can have made them. It reports whether none is left.
func (a *request) removeParts(ctx context.Context) bool {
	a.mu.Lock()
	sure := a.isPartialForSure()
	if sure {
		a.misplaced = nil
		for _, i := range a.parts.applied {
			a.misplaced = append(a.misplaced, misplacedEdit{a.timeline[i].Change, i + 1})
		}
	}
	a.mu.Unlock()
	return sure && a.removeMisplaced(ctx) == nil
}

// repair has the editor take the newest misplaced edit out of its text, by a change
// computed anew for each try. It reports whether the edit is out of the text.
func (a *request) repair(ctx context.Context) bool {
	if a.change.repairs {
		return false // a repair that fails is not repaired in turn
	}
	a.cancel()
	for range MaxTries {
		c, doc, moved := a.lastMisplaced()
		if doc == nil || len(c) == 0 {
			return doc != nil && !moved // the user has taken it out
		}
		j := &Change{Snapshot: workspace.Snapshot{Target: a.change.Target, Doc: doc, Exists: true, Text: doc.Text}, Kind: editor.Update, Pins: a.change.Pins, repairs: true}
		j.Plan.Edits = c.Edits()
		j.After = j.Plan.Edits.Apply(doc.Text)
		_, err := a.e.Apply(ctx, j, "patchls.mend")
		var again *NotAppliedError
		if err == nil || !errors.As(err, &again) {
			return err == nil
		}
	}
	return false
}

// unclearError is the error for a text that is neither the old one nor the planned one. Parts of
// the edit are taken out first.
func (a *request) unclearError(ctx context.Context) error {
	if a.removeParts(ctx) {
		return a.change.Failure(edits.NotSettled, "The editor made only a part of the edit of %s; that was taken back, and the rest of its text is the user's. View it before anything else.", a.change.Path)
	}
	if !a.answer.Applied {
		return a.change.Failure(edits.NotSettled, "The editor rejected the edit of %s%s, but the text has it or a part of it, which the editor may have made, or the user may have done that; view it before anything else.", a.change.Path, a.answer.quotedReason())
	}
	return a.change.Failure(edits.NotSettled, "The editor took the edit of %s, but its text is not what the edit gives; view it before anything else.", a.change.Path)
}
