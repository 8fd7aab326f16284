package history

import (
	"slices"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Keep says that somebody agrees with the edit, or with these hunks of it: they are
// hunks no more. The edit can be undone as before.
func (h *History) Keep(id string, numbers ...int) {
	h.lock()
	defer h.unlock()
	if i := h.index(id); i >= 0 {
		h.log[i].keep(numbers)
	}
}

// KeepAll is [History.Keep] for all edits.
func (h *History) KeepAll() {
	h.lock()
	defer h.unlock()
	for _, e := range h.log {
		if e.isAgents() {
			e.keep(nil)
		}
	}
}

// Sides returns the text before and after the edit, as it is in the log: without what
// was undone since. ok is false if it is not remembered.
func (h *History) Sides(id string) (before, after text.Text, ok bool) {
	h.lock()
	defer h.unlock()
	i := h.index(id)
	if i < 0 {
		return text.Text{}, text.Text{}, false
	}
	after = h.textAt(i + 1)
	return applied(h.log[i].change.Invert(), after), after, true
}

// Disown says that the edit went in a way that is no change of the text, as with the
// file that it had made.
func (h *History) Disown(id string) {
	h.lock()
	defer h.unlock()
	if i := h.index(id); i >= 0 {
		h.disown(h.log[i])
	}
}

// Forget says that nobody can ask for the edit any more: from here on it is a change
// like any other, and undoing it is [ErrForgotten].
func (h *History) Forget(id string) {
	h.lock()
	defer h.unlock()
	if i := h.index(id); i >= 0 {
		h.end(h.release(h.log[i]), false)
	}
}

// release makes an agent's edit a change like any other. It returns the id that it had.
func (h *History) release(e *entry) (id string) {
	h.count(e, -1)
	id, e.id, e.hunks = e.id, "", hunks{}
	h.count(e, 1)
	return id
}

// hunks are those of an edit. They are never changed in place.
type hunks struct {
	of   []int // by change of the edit, the number of its hunk
	kept []int // numbers, in order
}

// hunksOf returns the hunks of an edit whose changes have these numbers. Where it has
// another number of changes, they are taken as they come.
func hunksOf(edit changeset.Changeset, numbers []int) hunks {
	of := make([]int, len(edit))
	for i := range of {
		of[i] = i + 1
		if len(numbers) > 0 {
			of[i] = numbers[min(i, len(numbers)-1)]
		}
	}
	return hunks{of: of}
}

func (e *entry) keep(numbers []int) {
	if len(numbers) == 0 {
		numbers = e.hunks.of
	}
	kept := slices.Concat(e.hunks.kept, numbers)
	slices.Sort(kept)
	e.hunks.kept = slices.Compact(kept)
}

// split returns the edit without the hunks of these numbers, and them, which come after
// it. No numbers are all.
func (e *entry) split(numbers []int) (left, part *entry) {
	left, part = &entry{id: e.id, hunks: hunks{kept: e.hunks.kept}}, &entry{id: e.id, end: e.end}
	if len(numbers) == 0 {
		part.change = e.change
		return left, part
	}
	numbers = slices.Sorted(slices.Values(numbers))
	shift := 0
	for i, c := range e.change {
		if _, is := slices.BinarySearch(numbers, e.hunks.of[i]); is {
			c.At += shift
			part.change = append(part.change, c)
			continue
		}
		shift += c.Delta()
		left.change, left.hunks.of = append(left.change, c), append(left.hunks.of, e.hunks.of[i])
	}
	return left, part
}
