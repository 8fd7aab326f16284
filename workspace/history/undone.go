package history

import (
	"fmt"

	"github.com/patchls/patchls/edits/changeset"
)

// Part is an edit, or the hunks of it with these numbers; no numbers mean all hunks.
type Part struct {
	ID    string
	Hunks []int
}

// RecordUndo says that the parts were taken back, in this order, between the boundaries from and to.
// There before happened, which may be empty, and then undo. The parts leave the log, and what came
// after them is rewritten as if they had never been made. Marks between from and to are dropped; marks
// and pins elsewhere keep referring to the text that they were set for.
//
// RecordUndo returns an error where [History.Attribute] would, and if undo is not what takes the parts
// back. In that case, the parts before the one that the error names have left the log.
func (h *History) RecordUndo(from, to int, before, undo changeset.Changeset, parts ...Part) error {
	h.mu.Lock()
	defer h.unlock()
	l := &h.log
	s, err := l.stretch(from, to, before, undo)
	if err != nil {
		return err
	}
	for n, p := range parts {
		rest, err := h.takeOut(p, s, n == len(parts)-1)
		if err != nil {
			return err
		}
		k, _ := l.boundary(to)
		s = stretch{from: k, to: k, parts: []changeset.Changeset{nil, rest}}
		if len(rest) > 0 {
			s.from--
		}
		s.was = l.textAt(s.from)
	}
	l.compact()
	return nil
}

// takeOut removes a part from the log that the stretch takes back, either as its last part or as
// the first of several. It returns what the stretch does after that.
func (h *History) takeOut(p Part, s stretch, last bool) (rest changeset.Changeset, err error) {
	l := &h.log
	i := l.index(p.ID)
	if i < 0 {
		return nil, h.endings.err(p.ID)
	}
	if i >= s.from {
		return nil, fmt.Errorf("the edit %s was made after it was taken back", p.ID)
	}
	left, part := l.entries[i].split(p.Hunks)
	inverse := changeset.Carry(part.change.Invert())
	steps, ok := without(l.entries[i:s.from], inverse)
	before, meet := inverse.Over(s.parts[0])
	if meet != nil { // the inverse was given away joined, and so it was rebased
		inverse = changeset.Carry(inverse.Changeset())
		before, meet = inverse.Over(s.parts[0])
	}
	between := apply(s.parts[0], s.was)
	undo, does := inverse.Changeset(), s.parts[1]
	if !ok || meet != nil || !undo.Fits(between) || last && !doTheSame(undo, does, between) {
		return nil, fmt.Errorf("the edit %s is not what was taken back", p.ID)
	}
	if !last {
		rest = undo.Then(nil).Invert().Then(does)
	}
	l.replace(s, &entry{change: before}, &entry{change: rest})
	start := l.at(i).seq
	l.cut(i, s.from)
	l.insert(i, rewrite(steps)...)
	if len(left.change) > 0 {
		left.end = &boundary{seq: start, unavailable: true}
		l.insert(i, left)
	}
	h.pieces = pieces{}
	return rest, nil
}

// step is an entry as it would be without an edit.
type step struct {
	was    *entry
	change changeset.Changeset
	drift  changeset.Changeset // what takes the edit back, as of the entry's end
}

// without returns the entries as if the first of them, an edit, had never been made. It carries inverse, which takes the
// edit back, over the others; ok is false if inverse conflicts with one of them. An entry that changes nothing takes the
// place of the edit, to keep its boundary.
//
// inverse is carried over a run as a whole. What would have happened within the run cannot be known, so all of it is taken
// to happen at its start. Only the last boundary of the run and those that are held stay.
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

// rewrite returns the entries of the steps. A boundary that is not held is lost, since
// the text that it had is not needed any more.
func rewrite(steps []step) []*entry {
	es := make([]*entry, len(steps))
	for i, s := range steps {
		end := s.was.end
		if end.held() {
			end.drift = end.drift.Then(s.drift)
		} else {
			end = &boundary{seq: end.seq, unavailable: true}
		}
		es[i] = &entry{id: s.was.id, change: s.change, hunks: s.was.hunks, undone: s.was.undone, end: end}
	}
	return es
}
