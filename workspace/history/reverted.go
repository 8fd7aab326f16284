package history

import (
	"slices"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// minReverted is how many bytes must come or go in another of several equal places before
// that counts as an undo there. The user may type the same letter by coincidence.
const minReverted = 3

// undoneElsewhere returns a conflict if the entries of run undid e at another place of equal
// text: among equal lines an editor may tell its undo by any of them. whole is run composed,
// and rest came after it. The result is nil if they did not.
func (h *History) undoneElsewhere(e *entry, inverse changeset.Carried, whole *entry, run, rest []*entry) *UndoConflict {
	if !canRevert(inverse.Changeset(), whole.change) {
		return nil // nor does a part of it: what came and went is in no one's way
	}
	var before []text.Text
	look := func(n int, inverse changeset.Changeset, by *entry, later []*entry) *UndoConflict {
		if !mayRevert(inverse, by.change) {
			return nil
		}
		if before == nil {
			before = h.textsBefore(run, rest)
		}
		c := h.revertedBy(before[n], inverse, by, later)
		if c != nil {
			c.ID, c.By = e.id, by.id
		}
		return c
	}
	if len(run) > 1 {
		if c := look(0, inverse.Changeset(), whole, rest); c != nil {
			return c
		}
	}
	for n, r := range run {
		if c := look(n, inverse.Changeset(), r, append(slices.Clip(run[n+1:]), rest...)); c != nil {
			return c
		}
		if _, meet := inverse.Over(r.change); meet != nil {
			return nil
		}
	}
	return nil
}

// textsBefore returns the text before each entry of run, after which later made the
// text now.
func (h *History) textsBefore(run, later []*entry) []text.Text {
	t := applied(fold(later).Invert(), h.text)
	before := make([]text.Text, len(run))
	for n, r := range slices.Backward(run) {
		t = applied(r.change.Invert(), t)
		before[n] = t
	}
	return before
}

// revertedBy looks whether the entry by, of which before is the text before it, does
// what the inverse would. later came after it.
func (h *History) revertedBy(before text.Text, inverse changeset.Changeset, by *entry, later []*entry) *UndoConflict {
	left, whole := 0, true // changes of the inverse that are still to be made; the others are as it would make them
	var c *UndoConflict
	for _, a := range inverse {
		r, ok := changeset.Alike(before, a, by.change)
		if !ok || a.Size() < minReverted {
			left++
			continue
		}
		whole = whole && r.Size() >= a.Size()
		c = &UndoConflict{Wrote: r.Old, Was: r.New}
		c.Start, c.End = became(by.change, r.At, r.End())
		c.Start, c.End = follow(later, c.Start, c.End)
		c.Now = h.text.Slice(c.Start, c.End)
	}
	if c == nil || c.Now == c.Wrote {
		return nil // or it was made again since
	}
	c.AlreadyUndone = left == 0 && whole && c.Now == c.Was
	return c
}

// canRevert is whether later may have a change that does one of the inverse's, by
// their lengths, or what is left of it since. A change that is too short to tell is
// none.
func canRevert(inverse, later changeset.Changeset) bool {
	deletes, inserts := 0, 0 // the most that the later one does at once
	for _, r := range later {
		deletes, inserts = max(deletes, len(r.Old)), max(inserts, len(r.New))
	}
	return slices.ContainsFunc(inverse, func(a changeset.Change) bool {
		return a.Size() >= minReverted &&
			(a.Old == "" && minReverted <= inserts || a.New == "" && len(a.Old) <= deletes)
	})
}

// mayRevert is whether by may do one of the inverse's changes elsewhere, for some text:
// that of before the change need not be made then.
func mayRevert(inverse, by changeset.Changeset) bool {
	return canRevert(inverse, by) && slices.ContainsFunc(inverse, func(a changeset.Change) bool {
		return a.Size() >= minReverted && changeset.MayBeAlike(a, by)
	})
}
