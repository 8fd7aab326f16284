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
	h.mu.Lock()
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
	inverse := changeset.Carry(part.change.Invert())
	steps, ok := without(l.entries[i:s.from], inverse)
	last, meet := inverse.Over(s.parts[0])
	if meet != nil { // the inverse was given away joined, and so it was rebased
		inverse = changeset.Carry(inverse.Changeset())
		last, meet = inverse.Over(s.parts[0])
	}
	if !ok || meet != nil || !doTheSame(inverse.Changeset(), s.parts[1], applied(s.parts[0], s.was)) {
		return fmt.Errorf("the edit %s is not what was taken back", id)
	}
	l.replace(s, &entry{change: last}, &entry{change: s.parts[2]})
	start := l.at(i).seq
	l.cut(i, s.from)
	l.insert(i, rewritten(steps)...)
	if len(left.change) > 0 {
		left.end = &boundary{seq: start, lost: true}
		l.insert(i, left)
	}
	l.compact()
	h.known = pieces{}
	return nil
}

// step is an entry as it is without an edit.
type step struct {
	was    *entry
	change changeset.Changeset
	drift  changeset.Changeset // what takes the edit back, as of the entry's end
}

// without returns the entries as if the edit that is the first of them had never been made.
// It carries inverse, which takes the edit back, over the others; ok is false if that meets
// any. In the place of the edit stays an entry that changes nothing, for the sake of its
// boundary.
//
// A run is passed as a whole. Within it nobody can tell what would have happened; that all
// of it happened at its start is as true as anything. Of its boundaries those stay that
// somebody holds.
func without(es []*entry, inverse *changeset.Carried) (steps []step, ok bool) {
	steps = []step{{was: &entry{end: es[0].end}, drift: inverse.Changeset()}}
	for _, r := range runsOf(es[1:]) {
		if isTakenBack(r.entries) {
			between := changeset.Carry(inverse.Changeset())
			change, meet := between.Over(r.entries[0].change)
			if meet != nil {
				return nil, false
			}
			steps = append(steps, step{r.entries[0], change, between.Changeset()}, step{r.entries[1], change.Invert(), inverse.Changeset()})
			continue
		}
		change, meet := inverse.Over(r.change)
		if meet != nil {
			return nil, false
		}
		for k, e := range r.entries {
			if rest := r.entries[k+1:]; e.end.held() || len(rest) == 0 {
				steps = append(steps, step{e, change, fold(rest).Then(inverse.Changeset())})
				change = nil
			}
		}
	}
	return steps, true
}

// rewritten returns the entries of the steps. A boundary that nobody holds is lost, since
// the text that it had is nobody's any more.
func rewritten(steps []step) []*entry {
	es := make([]*entry, len(steps))
	for i, s := range steps {
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
