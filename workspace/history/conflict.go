package history

import (
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits/changeset"
)

// The errors of [History.Undo] that are no conflict.
var (
	// ErrForgotten is for an edit that is too long ago.
	ErrForgotten = errors.New("the edit is too long ago to be undone")
	// ErrNoEdit is for an id that no edit of the document has, or has any more.
	ErrNoEdit = errors.New("no edit of the document has this id")
)

// UndoConflict says that the text of an edit was changed since, so that it cannot
// be told what is left if the edit is taken back.
type UndoConflict struct { //nolint:errname // a conflict is what it is, and undo has it as a kind of error
	ID string // of the edit that was to be undone
	By string // id of the edit that changed the same text, "" for the user

	Start, End int    // where that text is now, in bytes
	Now        string // what stands there
	Wrote, Was string // what the edit wrote there, and what was there before it

	// AlreadyUndone says that everywhere the text is again as it was before the
	// edit, as after the editor's own undo.
	AlreadyUndone bool
}

func (c *UndoConflict) Error() string {
	by := "another program or the user"
	if c.By != "" {
		by = "the edit " + c.By
	}
	return fmt.Sprintf("the text of the edit %s was changed by %s since", c.ID, by)
}

// conflict describes that the inverse of e, carried, meets run k of what is later:
// at its change a.
func (h *History) conflict(e *entry, later []*entry, k int, a changeset.Change) *UndoConflict {
	c := &UndoConflict{ID: e.id, By: later[k].id, Wrote: a.Old, Was: a.New, AlreadyUndone: true}
	c.Start, c.End = follow(later[k:], a.At, a.End())
	c.Now = h.text.Slice(c.Start, c.End)
	for _, ch := range e.change.Invert() {
		start, end := follow(later, ch.At, ch.End())
		if h.text.Slice(start, end) != ch.New {
			c.AlreadyUndone = false
			break
		}
	}
	return c
}

// follow returns where what became of [start,end) is after the entries.
func follow(es []*entry, start, end int) (int, int) {
	for _, e := range es {
		start, end = became(e.change, start, end)
	}
	return start, end
}

// became returns the range of the text after c that holds what became of
// [start,end). What was inserted at its ends is not in it, unless it is empty.
func became(c changeset.Changeset, start, end int) (int, int) {
	shift, delta := 0, 0 // before the range, and inside
	empty, from, to := start == end, start, end
	for _, ch := range c {
		inserted := empty && ch.Old == "" && ch.At == start
		switch {
		case ch.End() <= start && !inserted:
			shift += ch.Delta()
		case ch.At < end || inserted:
			from, to = min(from, ch.At), max(to, ch.End())
			delta += ch.Delta()
		}
	}
	return from + shift, to + shift + delta
}
