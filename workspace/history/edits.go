package history

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Attribute says that what happened between the boundaries from and to was:
// before, which was not the agent's, then edit, then after, of which any may be
// empty. Their composition must have the effect of what was recorded there.
// From then on the edit can be undone by id, which no other edit of this history
// may have. Its changes belong to the hunks of these numbers, see [History.Hunks].
// Marks between from and to are dropped.
//
// It is an error, and changes nothing, if the changes are not what was recorded,
// if from or to are gone, or if between them is another agent's edit or a pin.
func (h *History) Attribute(from, to int, id string, before, edit, after changeset.Changeset, numbers ...int) error {
	h.mu.Lock()
	defer h.unlock()
	if id == "" || h.log.index(id) >= 0 {
		return fmt.Errorf("the id %q is not one of a new edit", id)
	}
	s, err := h.log.stretch(from, to, before, edit, after)
	if err != nil {
		return err
	}
	edit = s.parts[1]
	h.log.replace(s, &entry{change: s.parts[0]}, &entry{id: id, change: edit, hunks: numbered(edit, numbers)}, &entry{change: s.parts[2]})
	k := h.log.index(id) + 1
	if slices.ContainsFunc(h.log.entries[k:], (*entry).isAgents) {
		h.known = pieces{}
	}
	h.log.recognizeUndone(k)
	return nil
}

// AttributeBase says that edit is in the text as it was first seen; it comes
// before seq 0, and before all that was said to do so already. It is not
// remembered if it does not fit the changes after it, or if those are forgotten.
func (h *History) AttributeBase(id string, edit changeset.Changeset, numbers ...int) {
	h.mu.Lock()
	defer h.unlock()
	l := &h.log
	edit = edit.Then(nil)
	switch {
	case id == "" || l.index(id) >= 0:
	case l.first.seq > 0 || !edit.Invert().Fits(l.textAt(0)):
		h.ended.add(ending{id: id}, h.Limits)
	default:
		l.insert(0, &entry{id: id, change: edit, hunks: numbered(edit, numbers), end: l.first})
		l.first = &boundary{seq: -1, lost: true}
		h.known = pieces{}
	}
}

// stretch is a part of the log, between two boundaries, and what its caller says that it
// was made of.
type stretch struct {
	from, to int       // boundaries
	was      text.Text // at from
	parts    []changeset.Changeset
}

// stretch returns the part of the log between two boundaries that the parts are
// true of.
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

// replace puts entries in the place of a stretch, those that change nothing and
// are no agent's left out. The boundaries at its ends stay.
func (l *log) replace(s stretch, es ...*entry) {
	first, last := l.at(s.from), l.at(s.to)
	es = slices.DeleteFunc(es, func(e *entry) bool { return !e.isAgents() && len(e.change) == 0 })
	if s.from < s.to && len(es) == 0 {
		es = []*entry{{}}
	}
	for i, e := range es {
		e.end = &boundary{seq: first.seq, lost: true}
		if i == len(es)-1 && s.from < s.to {
			e.end = last
		}
	}
	for k := s.from + 1; k < s.to; k++ {
		l.at(k).lost = true
	}
	l.cut(s.from, s.to)
	l.insert(s.from, es...)
}

// Edits returns the ids of the edits that are remembered, the oldest first.
func (h *History) Edits() []string {
	h.mu.Lock()
	defer h.unlock()
	var ids []string
	for _, e := range h.log.entries {
		if e.isAgents() {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// Sides returns the text before and after the edit, as it is in the log: without what
// was undone since. ok is false if it is not remembered.
func (h *History) Sides(id string) (before, after text.Text, ok bool) {
	h.mu.Lock()
	defer h.unlock()
	i := h.log.index(id)
	if i < 0 {
		return text.Text{}, text.Text{}, false
	}
	return h.log.textAt(i), h.log.textAt(i + 1), true
}

// Keep says that the user agrees with the edit, or with these hunks of it: they are
// hunks no more. The edit can be undone as before. No id means all edits.
func (h *History) Keep(id string, numbers ...int) {
	h.mu.Lock()
	defer h.unlock()
	for _, e := range h.log.entries {
		if id == "" || id == e.id {
			e.keep(numbers)
		}
	}
}

// End says that the edit cannot be asked for any more: from here on it is a change like any other, and undoing it
// is [ErrForgotten]; or gone: in a way that is no change of the text, as with the file that it had made.
func (h *History) End(id string, gone bool) {
	h.mu.Lock()
	defer h.unlock()
	if i := h.log.index(id); i >= 0 {
		h.ended.add(ending{h.log.release(h.log.entries[i]), gone}, h.Limits)
		h.known = pieces{}
	}
}

// The errors of [History.Undo] that are no conflict.
var (
	// ErrForgotten is for an edit that is too long ago.
	ErrForgotten = errors.New("the edit is too long ago to be undone")
	// ErrNoEdit is for an id that no edit of the document has, or has any more.
	ErrNoEdit = errors.New("no edit of the document has this id")
)

// endings are what became of edits that are in the log no more, the last ended last.
type endings []ending

type ending struct {
	id   string
	gone bool // with a text that was thrown away; else it was forgotten
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

// hunks are those of an edit. They are never changed in place.
type hunks struct {
	of   []int // by change of the edit, the number of its hunk
	kept []int // numbers, in order
}

// numbered returns the hunks of an edit whose changes have these numbers. Where it has
// another number of changes, they are taken as they come.
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

// keep says that these hunks were kept; no numbers are all.
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
	left, part = &entry{id: e.id, hunks: hunks{kept: e.hunks.kept}}, &entry{id: e.id}
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
