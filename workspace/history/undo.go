package history

import (
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits/changeset"
)

// Undo returns the changeset of the text now, which is that as of seq, that takes
// the edit back, or these hunks of it. It changes nothing. The error is an
// [*UndoConflict], [ErrForgotten] or [ErrNoEdit].
//
// What others did between two agents' edits counts as one change: what they did
// and took back is in no one's way.
func (h *History) Undo(id string, numbers ...int) (c changeset.Changeset, seq int, err error) {
	h.lock()
	defer h.unlock()
	i, err := h.edit(id)
	if err != nil {
		return nil, h.seq, err
	}
	_, part := h.log[i].split(numbers)
	if len(part.change) == 0 && len(numbers) > 0 || h.isUndone(i) {
		return nil, h.seq, &UndoConflict{ID: id, AlreadyUndone: true}
	}
	c, err = h.takeBackWords(part, i+1)
	return c, h.seq, err
}

// UndoChange is [History.Undo] for a change that is no agent's edit yet, and that made
// the text as of boundary at.
func (h *History) UndoChange(at int, made changeset.Changeset) (c changeset.Changeset, seq int, err error) {
	h.lock()
	defer h.unlock()
	if slices.ContainsFunc(h.thrown, func(s span) bool { return s.from < at && at <= s.to }) {
		return nil, h.seq, &UndoConflict{AlreadyUndone: true}
	}
	k, ok := h.boundary(at)
	if !ok || len(h.at(k).drift) > 0 || !made.Invert().Fits(h.textAt(k)) {
		return nil, h.seq, ErrForgotten
	}
	c, err = h.takeBackWords(&entry{change: made}, k)
	return c, h.seq, err
}

// takeBackWords is takeBack for what made the text as of boundary k. It is a conflict, too,
// if another letter of a word that e changed was changed since: of the two changes one
// would be left, and with it a word that nobody wrote.
func (h *History) takeBackWords(e *entry, k int) (changeset.Changeset, error) {
	c, err := h.takeBack(e, h.log[k:])
	if err != nil {
		return nil, err
	}
	later := runs(h.log[k:])
	words := changeset.Carry(e.change.Invert().Words(h.textAt(k)))
	for i, run := range later {
		if _, meet := words.Over(run.change); meet != nil {
			return nil, h.conflict(e, later, i, meet.A)
		}
	}
	return c, nil
}

// takeBack returns what takes e back of the text now, which is what the rest made of
// the text after it.
func (h *History) takeBack(e *entry, rest []*entry) (changeset.Changeset, error) {
	later := runs(rest)
	carried := changeset.Carry(e.change.Invert())
	for k, run := range later {
		n := segmentLen(rest)
		if isTakenBack(rest) {
			if _, meet := changeset.Carry(carried.Changeset()).Over(rest[0].change); meet != nil {
				return nil, h.conflict(e, later, k, meet.A)
			}
		}
		if c := h.undoneElsewhere(e, carried.Changeset(), run, later[k:]); c != nil {
			return nil, c
		}
		rest = rest[n:]
		if _, meet := carried.Over(run.change); meet != nil {
			return nil, h.conflict(e, later, k, meet.A)
		}
	}
	return carried.Changeset().Then(nil), nil
}

// edit returns which entry is the edit id.
func (h *History) edit(id string) (int, error) {
	if i := h.index(id); i >= 0 {
		return i, nil
	}
	switch {
	case slices.Contains(h.ended, ending{id, true}):
		return -1, &UndoConflict{ID: id, AlreadyUndone: true}
	case slices.Contains(h.ended, ending{id, false}):
		return -1, ErrForgotten
	}
	return -1, ErrNoEdit
}

// Edits returns the ids of the edits that are remembered, the oldest first.
func (h *History) Edits() []string {
	h.lock()
	defer h.unlock()
	var ids []string
	for _, e := range h.log {
		if e.id != "" {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// runs returns the entries with all that is between two agents' edits composed, and so
// an agent's edit with what took it back, which together are nothing.
func runs(es []*entry) []*entry {
	var out []*entry
	for i := 0; i < len(es); {
		n := segmentLen(es[i:])
		run := &entry{id: es[i].id}
		if !isTakenBack(es[i:]) {
			run.change = fold(es[i : i+n])
		}
		out = append(out, run)
		i += n
	}
	return out
}

// Undone says that between the boundaries from and to the edit was taken back, or
// these hunks of it: before, then undo, then after happened, of which before and after
// may be empty. They leave the log, and what came after them is rewritten as if they
// had never been made. Marks between from and to are dropped; those and pins elsewhere go on
// to mean the text that they were told.
//
// It is an error, and changes nothing, where [History.Attribute] would have one,
// or if undo is not what takes the edit back.
func (h *History) Undone(id string, from, to int, before, undo, after changeset.Changeset, numbers ...int) error {
	h.lock()
	defer h.unlock()
	if _, err := h.edit(id); err != nil {
		return err
	}
	s, err := h.stretch(from, to, before, undo, after)
	if err != nil {
		return err
	}
	i := h.index(id)
	if i >= s.from {
		return fmt.Errorf("the edit %s was made after %d", id, from)
	}
	left, part := h.log[i].split(numbers)
	w := withoutEdit{inverse: changeset.Carry(part.change.Invert())}
	if !w.pass(h.log[i:s.from], s.parts[0]) || !doTheSame(w.inverse.Changeset(), s.parts[1], applied(s.parts[0], s.was)) {
		return fmt.Errorf("the edit %s is not what was taken back", id)
	}
	h.replace(s, []*entry{{change: w.last}, {change: s.parts[2]}})
	start := h.at(i).seq
	h.cut(i, s.from)
	h.insert(i, w.rewritten()...)
	if len(left.change) > 0 {
		left.end = &boundary{seq: start, lost: true}
		h.insert(i, left)
	}
	h.compact()
	return nil
}
