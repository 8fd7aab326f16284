package history

import (
	"fmt"

	"github.com/patchls/patchls/edits/changeset"
)

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
	l := &h.log
	i := l.index(id)
	if i < 0 {
		return h.ended.err(id)
	}
	s, err := l.stretch(from, to, before, undo, after)
	if err != nil {
		return err
	}
	if i >= s.from {
		return fmt.Errorf("the edit %s was made after %d", id, from)
	}
	left, part := l.entries[i].split(numbers)
	w := withoutEdit{inverse: changeset.Carry(part.change.Invert())}
	if !w.pass(l.entries[i:s.from], s.parts[0]) || !doTheSame(w.inverse.Changeset(), s.parts[1], applied(s.parts[0], s.was)) {
		return fmt.Errorf("the edit %s is not what was taken back", id)
	}
	l.replace(s, &entry{change: w.last}, &entry{change: s.parts[2]})
	start := l.at(i).seq
	l.cut(i, s.from)
	l.insert(i, w.rewritten()...)
	if len(left.change) > 0 {
		left.end = &boundary{seq: start, lost: true}
		l.insert(i, left)
	}
	l.compact()
	h.known = pieces{}
	return nil
}

// withoutEdit rewrites entries as if the edit that is the first of them had never
// been made.
type withoutEdit struct {
	inverse *changeset.Carried // of the edit, behind what was passed
	steps   []step
	last    changeset.Changeset // what the changes behind the entries come to
}

// step is an entry without the edit.
type step struct {
	was    *entry
	change changeset.Changeset
	drift  changeset.Changeset // the inverse, as of the entry's end
}

// pass rewrites the entries, and last, which came after them. It is false if the
// inverse meets any. In the place of the edit stays an entry that changes nothing,
// for the sake of its boundary.
func (w *withoutEdit) pass(es []*entry, last changeset.Changeset) bool {
	w.steps = []step{{was: &entry{end: es[0].end}, drift: w.inverse.Changeset()}}
	for _, r := range runsOf(es[1:]) {
		pass := w.run
		if isTakenBack(r.entries) {
			pass = w.both
		}
		if !pass(r) {
			return false
		}
	}
	change, meet := w.inverse.Over(last)
	if meet != nil { // the inverse was given away joined, and so it was rebased
		w.inverse = changeset.Carry(w.inverse.Changeset())
		change, meet = w.inverse.Over(last)
	}
	w.last = change
	return meet == nil
}

// both passes an edit and what took it back.
func (w *withoutEdit) both(r run) bool {
	between := changeset.Carry(w.inverse.Changeset())
	change, meet := between.Over(r.entries[0].change)
	if meet == nil {
		w.steps = append(w.steps, step{r.entries[0], change, between.Changeset()}, step{r.entries[1], change.Invert(), w.inverse.Changeset()})
	}
	return meet == nil
}

// run passes what a run does as a whole. Within the run nobody can tell what would
// have happened; that all of it happened at its start is as true as anything. Of its
// boundaries those stay that somebody holds.
func (w *withoutEdit) run(r run) bool {
	change, meet := w.inverse.Over(r.change)
	if meet != nil {
		return false
	}
	for k, e := range r.entries {
		if rest := r.entries[k+1:]; e.end.held() || len(rest) == 0 {
			w.steps = append(w.steps, step{e, change, fold(rest).Then(w.inverse.Changeset())})
			change = nil
		}
	}
	return true
}

// rewritten returns the entries as they are without the edit. A boundary that
// nobody holds is lost, since the text that it had is nobody's any more.
func (w *withoutEdit) rewritten() []*entry {
	es := make([]*entry, len(w.steps))
	for i, s := range w.steps {
		end := s.was.end
		if end.held() {
			end.drift = end.drift.Then(s.drift)
		} else {
			end = &boundary{seq: end.seq, lost: true}
		}
		es[i] = &entry{id: s.was.id, change: s.change, hunks: s.was.hunks, end: end}
	}
	return es
}
