package workspace

import (
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// leastReverted is how long a text must be for its coming or going in another place of
// equal ones to be no coincidence: a person may type the same letter.
const leastReverted = 3

// reverted looks whether the entries, which are one run and the first of what is
// later, take e back, though they meet nothing of its inverse: among equal lines,
// or wherever text repeats, an editor may tell its own undo by another place that
// has the same effect. whole is the run composed. The result is nil if not.
func (h *History) reverted(e *entry, inverse edits.Carried, whole *entry, run, later []*entry) *UndoConflict {
	if !canRevert(inverse.Changeset(), whole.change) {
		return nil // nor does a part of it: what came and went is in no one's way
	}
	before := h.textsBefore(run, later)
	if len(run) > 1 {
		if c := h.revertedBy(before[0], inverse.Changeset(), whole, later); c != nil {
			c.ID, c.By = e.id, whole.id
			return c
		}
	}
	for n, r := range run {
		if canRevert(inverse.Changeset(), r.change) {
			if c := h.revertedBy(before[n], inverse.Changeset(), r, append(slices.Clip(run[n+1:]), later...)); c != nil {
				c.ID, c.By = e.id, r.id
				return c
			}
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
func (h *History) revertedBy(before text.Text, inverse edits.Changeset, by *entry, later []*entry) *UndoConflict {
	left, whole := 0, true // changes of the inverse that are still to be made; the others are as it would make them
	var c *UndoConflict
	for _, a := range inverse {
		r, ok := edits.Alike(before, a, by.change)
		if !ok || a.Size() < leastReverted {
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
func canRevert(inverse, later edits.Changeset) bool {
	deletes, inserts := 0, 0 // the most that the later one does at once
	for _, r := range later {
		deletes, inserts = max(deletes, len(r.Old)), max(inserts, len(r.New))
	}
	return slices.ContainsFunc(inverse, func(a edits.Change) bool {
		return a.Size() >= leastReverted &&
			(a.Old == "" && leastReverted <= inserts || a.New == "" && len(a.Old) <= deletes)
	})
}
