package workspace

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// leastReverted is how long a text must be for its coming back in another place of
// equal ones to be an editor's undo and no coincidence: a person may type the same
// letter.
const leastReverted = 3

// reverted looks whether the entries, which are one run and the first of what is
// later, take e back, though they meet nothing of its inverse: among equal lines,
// or wherever text repeats, an editor may tell its own undo by another place that
// has the same effect. whole is the run composed. The result is nil if not.
func (h *History) reverted(e *entry, inverse edits.Carried, whole *entry, run, later []*entry) *UndoConflict {
	if len(run) > 1 && canRevert(e.change, whole.change) {
		if c := h.revertedBy(inverse.Changeset(), append([]*entry{whole}, later...)); c != nil {
			c.ID, c.By = e.id, whole.id
			return c
		}
	}
	for n, r := range run {
		if canRevert(e.change, r.change) {
			then := append(slices.Clip(run[n:]), later...)
			if c := h.revertedBy(inverse.Changeset(), then); c != nil {
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

// revertedBy looks whether the first of the entries does what the inverse would.
func (h *History) revertedBy(inverse edits.Changeset, then []*entry) *UndoConflict {
	before := applied(fold(then).Invert(), h.text)
	left := 0 // changes of the inverse that are still to be made
	var c *UndoConflict
	for _, a := range inverse {
		r, ok := alike(before, a, then[0].change)
		if !ok {
			left++
			continue
		}
		c = &UndoConflict{Wrote: r.Old, Was: r.New}
		c.Start, c.End = follow(then, r.At, r.End())
		c.Now = h.text.Slice(c.Start, c.End)
	}
	if c == nil || c.Now == c.Wrote {
		return nil // or it was made again since
	}
	c.AlreadyUndone = left == 0 && c.Now == c.Was
	return c
}

// canRevert is whether of two changesets one may have a change that takes one of
// the other back, by their lengths.
func canRevert(made, later edits.Changeset) bool {
	sizes := map[[2]int]bool{}
	for _, e := range made {
		if slides(e) {
			sizes[[2]int{len(e.New), len(e.Old)}] = true
		}
	}
	return slices.ContainsFunc(later, func(r edits.Change) bool { return sizes[[2]int{len(r.Old), len(r.New)}] })
}

// slides reports whether a change may be told by another place: it only deletes or
// only inserts.
func slides(c edits.Change) bool {
	return (c.Old == "") != (c.New == "") && c.Size() >= leastReverted
}

// alike returns the change that does to t what a does, elsewhere: the next one on
// either side of a, if it does.
func alike(t text.Text, a edits.Change, changes edits.Changeset) (edits.Change, bool) {
	next := sort.Search(len(changes), func(i int) bool { return changes[i].At >= a.At })
	for _, r := range changes[max(0, next-1):min(len(changes), next+1)] {
		if len(r.Old) != len(a.Old) || len(r.New) != len(a.New) || !slides(a) {
			continue
		}
		first, last := a, r
		if r.At < a.At {
			first, last = r, a
		}
		between := t.Slice(first.At, last.At)
		if first.Old == "" && first.New+between == between+last.New ||
			first.New == "" && strings.HasSuffix(t.Slice(first.At, last.End()), between) {
			return r, true
		}
	}
	return edits.Change{}, false
}
