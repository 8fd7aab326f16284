package history

import (
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
	h.lock()
	defer h.unlock()
	if id == "" || h.index(id) >= 0 {
		return fmt.Errorf("the id %q is not one of a new edit", id)
	}
	s, err := h.stretch(from, to, before, edit, after)
	if err != nil {
		return err
	}
	h.replace(s, []*entry{{change: s.parts[0]}, {id: id, change: s.parts[1], hunks: hunksOf(s.parts[1], numbers)}, {change: s.parts[2]}})
	h.recognizeUndone(h.index(id) + 1)
	return nil
}

// AttributeBase says that edit is in the text as it was first seen; it comes
// before seq 0, and before all that was said to do so already. It is not
// remembered if it does not fit what comes after it, or if that is forgotten.
func (h *History) AttributeBase(id string, edit changeset.Changeset, numbers ...int) {
	h.lock()
	defer h.unlock()
	edit = edit.Then(nil)
	if id == "" || h.index(id) >= 0 {
		return
	}
	if h.first.seq > 0 || !edit.Invert().Fits(h.textAt(0)) {
		h.end(id, false)
		return
	}
	h.insert(0, &entry{id: id, change: edit, hunks: hunksOf(edit, numbers), end: h.first})
	h.first = &boundary{seq: -1, lost: true}
}

// stretch is a part of the log, between two boundaries, and what somebody says that it
// was made of.
type stretch struct {
	from, to int       // boundaries
	was      text.Text // at from
	parts    []changeset.Changeset
}

// stretch returns the part of the log between two boundaries that the parts are
// true of.
func (h *History) stretch(from, to int, parts ...changeset.Changeset) (stretch, error) {
	f, okFrom := h.boundary(from)
	t, okTo := h.boundary(to)
	if !okFrom || !okTo || f > t {
		return stretch{}, fmt.Errorf("from %d to %d: the boundaries are gone, or in the wrong order", from, to)
	}
	if len(h.at(f).drift)+len(h.at(t).drift) > 0 {
		return stretch{}, fmt.Errorf("from %d to %d: an edit before it was undone meanwhile", from, to)
	}
	for k := f; k < t; k++ {
		if h.log[k].id != "" || k > f && h.at(k).pins > 0 {
			return stretch{}, fmt.Errorf("from %d to %d: another command was at work there", from, to)
		}
	}
	s := stretch{from: f, to: t, was: h.textAt(f)}
	now := s.was
	var all changeset.Changeset
	for _, p := range parts {
		p = p.Then(nil)
		if !p.Fits(now) {
			return stretch{}, fmt.Errorf("from %d to %d: the changes do not fit the text", from, to)
		}
		now, all, s.parts = applied(p, now), all.Then(p), append(s.parts, p)
	}
	if !doTheSame(all, fold(h.log[f:t]), s.was) {
		return stretch{}, fmt.Errorf("from %d to %d: the changes are not those that were recorded", from, to)
	}
	return s, nil
}

// replace puts entries in the place of a stretch, those that change nothing and
// are no agent's left out. The boundaries at its ends stay.
func (h *History) replace(s stretch, es []*entry) {
	first, last := h.at(s.from), h.at(s.to)
	h.marks = slices.DeleteFunc(h.marks, func(m mark) bool {
		k := h.where(m.at)
		return s.from < k && k < s.to
	})
	es = slices.DeleteFunc(es, func(e *entry) bool { return e.id == "" && len(e.change) == 0 })
	if s.from < s.to && len(es) == 0 {
		es = []*entry{{}}
	}
	for i, e := range es {
		e.end = &boundary{seq: first.seq, lost: true}
		if i == len(es)-1 && s.from < s.to {
			e.end = last
		}
	}
	h.cut(s.from, s.to)
	h.insert(s.from, es...)
}
