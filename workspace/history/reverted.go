package history

import (
	"slices"

	"github.com/patchls/patchls/edits/changeset"
)

// minReverted is how many bytes must come or go in another of several equal places before
// that counts as an undo there. The user may type the same letter by coincidence.
const minReverted = 3

// undoneElsewhere returns a conflict if by did what the inverse of e would do, or a part of
// it, at another place of equal text: among equal lines an editor may tell its undo by any
// of them. by is the first of later. The result is nil if it did not.
func (h *History) undoneElsewhere(e *entry, inverse changeset.Changeset, by *entry, later []*entry) *UndoConflict {
	if !slices.ContainsFunc(inverse, func(a changeset.Change) bool { return a.Size() >= minReverted && changeset.MayBeAlike(a, by.change) }) {
		return nil // at a glance: the text before it need not be made
	}
	before := applied(fold(later).Invert(), h.text)
	left, whole := 0, true // changes of the inverse that are still to be made; the others are as it would make them
	var c *UndoConflict
	for _, a := range inverse {
		r, ok := changeset.Alike(before, a, by.change)
		if !ok || a.Size() < minReverted {
			left++
			continue
		}
		whole = whole && r.Size() >= a.Size()
		c = &UndoConflict{ID: e.id, By: by.id, Wrote: r.Old, Was: r.New}
		c.Start, c.End = became(by.change, r.At, r.End())
		c.Start, c.End = follow(later[1:], c.Start, c.End)
		c.Now = h.text.Slice(c.Start, c.End)
	}
	if c == nil || c.Now == c.Wrote {
		return nil // or it was made again since
	}
	c.AlreadyUndone = left == 0 && whole && c.Now == c.Was
	return c
}
