package history

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Attribute says which of the changes between the boundaries from and to are an agent's edit: first came before, which is
// not the agent's, then edit. Either may be empty. Their composition must have the effect of what was recorded there. From
// then on the edit can be undone by id, which must be new in this history. numbers are the hunks of the edit's changes, see
// [History.Hunks]. Marks between from and to are dropped.
//
// Attribute returns an error and changes nothing if the changes are not what was recorded,
// if from or to is lost, or if another agent's edit or a pin is between them.
func (h *History) Attribute(from, to int, id string, before, edit changeset.Changeset, numbers ...int) error {
	h.mu.Lock()
	defer h.unlock()
	if id == "" || h.log.index(id) >= 0 {
		return fmt.Errorf("the id %q is not one of a new edit", id)
	}
	s, err := h.log.stretch(from, to, before, edit)
	if err != nil {
		return err
	}
	if i, of, exact := h.log.undoAt(s.to); i >= s.from && len(exact) > 0 {
		of.undone = slices.Equal(exact, of.change) // as before, since it was not the editor's undo or redo
	}
	edit = s.parts[1]
	h.log.replace(s, &entry{change: s.parts[0]}, &entry{id: id, change: edit, hunks: numbered(edit, numbers)})
	k := h.log.index(id) + 1
	if slices.ContainsFunc(h.log.entries[k:], (*entry).isAgents) {
		h.pieces = pieces{}
	}
	h.log.recognizeUndone(k)
	return nil
}

// AttributeBase says that the text already contained edit when it was first seen. The
// edit comes before seq 0, and before the edits of earlier AttributeBase calls. It is not
// remembered if it does not fit the changes after it, or if those are forgotten.
func (h *History) AttributeBase(id string, edit changeset.Changeset, numbers ...int) {
	h.mu.Lock()
	defer h.unlock()
	l := &h.log
	edit = edit.Then(nil)
	switch {
	case id == "" || l.index(id) >= 0:
	case l.first.seq > 0 || !edit.Invert().Fits(l.textAt(0)):
		h.endings.add(ending{id: id}, h.Limits)
	default:
		l.insert(0, &entry{id: id, change: edit, hunks: numbered(edit, numbers), end: l.first})
		l.first = &boundary{seq: -1, unavailable: true}
		h.pieces = pieces{}
	}
}

// stretch is the part of the log between two boundaries, and the changes that it consists of according to the caller.
type stretch struct {
	from, to int       // boundaries
	was      text.Text // at from
	parts    []changeset.Changeset
}

// stretch returns the part of the log between two boundaries. It returns an error
// if the composed parts do not have the effect of that part.
func (l *log) stretch(from, to int, parts ...changeset.Changeset) (stretch, error) {
	fail := func(why string) (stretch, error) { return stretch{}, fmt.Errorf("from %d to %d: %s", from, to, why) }
	f, okFrom := l.boundary(from)
	t, okTo := l.boundary(to)
	switch {
	case !okFrom || !okTo || f > t:
		return fail("the boundaries are gone, or in the wrong order")
	case len(l.at(f).drift)+len(l.at(t).drift) > 0:
		return fail("an edit before it was undone meanwhile")
	}
	for k := f; k < t; k++ {
		if l.entries[k].isAgents() || k > f && l.at(k).pins > 0 {
			return fail("another command was at work there")
		}
	}
	s := stretch{from: f, to: t, was: l.textAt(f)}
	now := s.was
	var all changeset.Changeset
	for _, p := range parts {
		p = p.Then(nil)
		if !p.Fits(now) {
			return fail("the changes do not fit the text")
		}
		now, all, s.parts = apply(p, now), all.Then(p), append(s.parts, p)
	}
	if !doTheSame(all, fold(l.entries[f:t]), s.was) {
		return fail("the changes are not those that were recorded")
	}
	return s, nil
}

// replace replaces a stretch with entries. It leaves out entries that change nothing
// and are not an agent's. The boundaries at the ends of the stretch stay.
func (l *log) replace(s stretch, es ...*entry) {
	first, last := l.at(s.from), l.at(s.to)
	es = slices.DeleteFunc(es, func(e *entry) bool { return !e.isAgents() && len(e.change) == 0 })
	if s.from < s.to && len(es) == 0 {
		es = []*entry{{}}
	}
	for i, e := range es {
		e.end = &boundary{seq: first.seq, unavailable: true}
		if i == len(es)-1 && s.from < s.to {
			e.end = last
		}
	}
	for k := s.from + 1; k < s.to; k++ {
		l.at(k).unavailable = true
	}
	l.cut(s.from, s.to)
	l.insert(s.from, es...)
}

// Edits returns the ids of the edits that are remembered, the oldest first.
func (h *History) Edits() []string {
	h.mu.Lock()
	defer h.unlock()
	return lists.FilterMap(h.log.entries, func(e *entry) (string, bool) { return e.id, e.isAgents() })
}

// Sides returns the text before and after the edit, as it is in the log: without edits
// that were undone since. ok is false if the edit is not remembered.
func (h *History) Sides(id string) (before, after text.Text, ok bool) {
	h.mu.Lock()
	defer h.unlock()
	i := h.log.index(id)
	if i < 0 {
		return text.Text{}, text.Text{}, false
	}
	return h.log.textAt(i), h.log.textAt(i + 1), true
}

// Keep says that the user agrees with the edit, or with these hunks of it. [History.Hunks]
// no longer returns them. The edit can be undone as before. No id means all edits.
func (h *History) Keep(id string, numbers ...int) {
	h.mu.Lock()
	defer h.unlock()
	for _, e := range h.log.entries {
		if id == "" || id == e.id {
			e.keep(numbers)
		}
	}
}

// End makes the edit a change like any other. From here on [History.Undo] returns [ErrForgotten] for it. If gone is
// set, Undo says that the edit is undone already: it was undone without a change of the text, as with the file it made.
func (h *History) End(id string, gone bool) {
	h.mu.Lock()
	defer h.unlock()
	if i := h.log.index(id); i >= 0 {
		h.endings.add(ending{h.log.release(h.log.entries[i]), gone}, h.Limits)
		h.pieces = pieces{}
	}
}

// The errors of [History.Undo] that are no conflict.
var (
	// ErrForgotten is for an edit that is too long ago.
	ErrForgotten = errors.New("the edit is too long ago to be undone")
	// ErrNoEdit is for an id that no edit of the document has, or has any more.
	ErrNoEdit = errors.New("no edit of the document has this id")
)

// endings say how edits left the log, the most recent last.
type endings []ending

type ending struct {
	id        string
	discarded bool // undone with a text that was thrown away; otherwise forgotten
}

func (es *endings) add(e ending, limits Limits) {
	*es = append(*es, e)
	*es = slices.Delete(*es, 0, max(0, len(*es)-limits.Edits))
}

// err returns why an edit that is not in the log cannot be undone.
func (es *endings) err(id string) error {
	switch {
	case slices.Contains(*es, ending{id, true}):
		return &UndoConflict{ID: id, AlreadyUndone: true}
	case slices.Contains(*es, ending{id, false}):
		return ErrForgotten
	}
	return ErrNoEdit
}

// hunks are the hunks of an edit. They are never changed in place.
type hunks struct {
	of      []int // for each change of the edit, the number of its hunk
	numbers []int // the numbers of kept hunks, in order
}

// numbered returns the hunks of an edit whose changes have these numbers. The last number
// stands for all further changes; without numbers, each change is its own hunk.
func numbered(edit changeset.Changeset, numbers []int) hunks {
	of := make([]int, len(edit))
	for i := range of {
		of[i] = i + 1
		if len(numbers) > 0 {
			of[i] = numbers[min(i, len(numbers)-1)]
		}
	}
	return hunks{of: of}
}

// keep marks these hunks as kept; no numbers mean all hunks.
func (e *entry) keep(numbers []int) {
	if len(numbers) == 0 {
		numbers = e.hunks.of
	}
	e.hunks.numbers = slices.Compact(slices.Sorted(slices.Values(slices.Concat(e.hunks.numbers, numbers))))
}

// split returns the edit without the hunks of these numbers, and a second entry with these
// hunks, which comes after the first. No numbers mean all hunks.
func (e *entry) split(numbers []int) (left, part *entry) {
	left, part = &entry{id: e.id, hunks: hunks{numbers: e.hunks.numbers}}, &entry{id: e.id}
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
