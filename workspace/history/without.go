package history

import (
	"github.com/patchls/patchls/edits/changeset"
)

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
	for later := es[1:]; len(later) > 0; {
		n := segmentLen(later)
		if isTakenBack(later) && !w.both(later[0], later[1]) || !isTakenBack(later) && !w.run(later[:n]) {
			return false
		}
		later = later[n:]
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
func (w *withoutEdit) both(edit, back *entry) bool {
	between := changeset.Carry(w.inverse.Changeset())
	change, meet := between.Over(edit.change)
	if meet == nil {
		w.steps = append(w.steps, step{edit, change, between.Changeset()}, step{back, change.Invert(), w.inverse.Changeset()})
	}
	return meet == nil
}

// run passes what a run does as a whole. Within the run nobody can tell what would
// have happened; that all of it happened at its start is as true as anything. Of its
// boundaries those stay that somebody holds.
func (w *withoutEdit) run(es []*entry) bool {
	change, meet := w.inverse.Over(fold(es))
	if meet != nil {
		return false
	}
	for k, e := range es {
		if rest := es[k+1:]; e.end.held() || len(rest) == 0 {
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
