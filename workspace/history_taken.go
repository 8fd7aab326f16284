package workspace

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// stretchLen is [runLen], or 2 where the entries begin with an edit that the next took
// back: where that put a text in, nobody could tell on which side of it something else
// belongs, and nobody has to.
func stretchLen(es []*entry) int {
	if isTakenBack(es) {
		return 2
	}
	return runLen(es)
}

// isTakenBack reports whether the entries begin with an agent's edit and what nobody but
// the editor's undo does, its inverse.
func isTakenBack(es []*entry) bool {
	return len(es) > 1 && es[0].isAgents() && !es[1].isAgents() && len(es[0].change) == len(es[1].change) &&
		slices.Equal(es[0].change.Invert(), es[1].change)
}

// runLen returns how many of the entries are one agent's edit, or are no agent's.
func runLen(es []*entry) int {
	n := 1
	for es[0].id == "" && n < len(es) && es[n].id == "" {
		n++
	}
	return n
}

// mostNested is of how many entries it is known which took back which, mostPieces in how
// many entries an undo may be told to be known, and mostTried how often that is looked at
// for what was typed unseen.
const (
	mostNested = 64
	mostPieces = 16
	mostTried  = 32
)

// undoStack is what an editor can undo and redo after some entries, the newest first. The
// zero value is that after none.
type undoStack struct{ done, undone *undoStep }

// undoStep is an entry that can be undone, or redone.
type undoStep struct {
	of    *entry
	below *undoStep
}

// stackAt returns what an editor can undo and redo at boundary k.
func (h *History) stackAt(k int) (s undoStack) {
	for _, e := range h.log[max(0, k-mostNested):k] {
		s.pass(e)
	}
	return s
}

func (s *undoStack) pass(e *entry) {
	switch done, undone := s.done, s.undone; {
	case e.isAgents():
		*s = undoStack{done: &undoStep{e, done}}
	case len(e.change) == 0:
	case done != nil && isInverse(e.change, done.of.change):
		*s = undoStack{done.below, &undoStep{done.of, undone}}
	case undone != nil && slices.Equal(e.change, undone.of.change):
		*s = undoStack{&undoStep{undone.of, done}, undone.below}
	default:
		*s = undoStack{done: &undoStep{e, done}}
	}
}

// isUndone reports whether entry k was taken back by the editor's undo since, and not made
// again.
func (h *History) isUndone(k int) bool {
	var s undoStack
	for _, e := range h.log[k:] {
		s.pass(e)
	}
	for step := s.done; step != nil; step = step.below {
		if step.of == h.log[k] {
			return false
		}
	}
	return true
}

func isInverse(c, of edits.Changeset) bool {
	return len(c) == len(of) && c.Delta() == -of.Delta() && slices.Equal(of.Invert(), c)
}

// taking is the undo of an agent's edit, or the redo.
type taking struct {
	of    edits.Changeset
	redo  bool
	delta int
}

// takings returns what may be done to agents' edits next.
func (s undoStack) takings() (all []taking) {
	if s.done != nil && s.done.of.isAgents() {
		all = append(all, taking{s.done.of.change, false, -s.done.of.change.Delta()})
	}
	if s.undone != nil && s.undone.of.isAgents() {
		all = append(all, taking{s.undone.of.change, true, s.undone.of.change.Delta()})
	}
	return all
}

// isMade reports whether c, which is told of t, does the same, and returns it by the place
// of the edit. Among equal lines an editor may tell its undo and redo by another place, or
// by all lines from the first to the last that differ, and then what is behind that would
// not be where it was. Where it is but a letter or two it may be somebody else's.
func (w taking) isMade(c edits.Changeset, t text.Text) (exact edits.Changeset, ok bool) {
	exact = w.of
	if !w.redo {
		exact = w.of.Invert()
	}
	return exact, slices.Equal(exact, c) || letters(exact) >= leastReverted && doTheSame(c, exact, t)
}

// letters returns how many characters c takes out and puts in.
func letters(c edits.Changeset) (n int) {
	for _, ch := range c {
		n += utf8.RuneCountInString(ch.Old) + utf8.RuneCountInString(ch.New)
	}
	return n
}

// doTheSame reports whether a, which is of t, and b make the same text of t, and another
// one than it is.
func doTheSame(a, b edits.Changeset, t text.Text) bool {
	if a, b = a.Then(nil), b.Then(nil); len(a) == 0 || len(b) == 0 || !b.Fits(t) {
		return false
	}
	from, to := min(a[0].At, b[0].At), max(a[len(a)-1].End(), b[len(b)-1].End())
	made := func(c edits.Changeset) string {
		var s strings.Builder
		at := from
		for _, ch := range c {
			s.WriteString(t.Slice(at, ch.At))
			s.WriteString(ch.New)
			at = ch.End()
		}
		s.WriteString(t.Slice(at, to))
		return s.String()
	}
	is := made(a)
	return is == made(b) && is != t.Slice(from, to)
}

// knowTakenBack has the last entries told by the place of an agent's edit where they are
// its undo, or the redo.
func (h *History) knowTakenBack() {
	for n := 1; n <= mostPieces && h.agents > 0; n++ {
		i := len(h.log) - n
		if i < 0 || h.log[i].isAgents() || n > 1 && h.log[i].end.held() || h.knowAsTaking(i, len(h.log)) {
			return
		}
	}
}

// tellTakenBack is knowTakenBack for all that follows entry k, which is an agent's.
func (h *History) tellTakenBack(k int) {
	for i := k + 1; i < len(h.log) && !h.log[i].isAgents(); i++ {
		for j := i + 1; j <= min(i+mostPieces, len(h.log)) && !h.log[j-1].isAgents() && (j == i+1 || !h.log[j-2].end.held()); j++ {
			if h.knowAsTaking(i, j) {
				break
			}
		}
	}
}

// knowAsTaking has the entries from i to before j, which are no agent's and between which
// nobody needs a boundary, be one, told by the place of an agent's edit, where together they
// are its undo or redo.
func (h *History) knowAsTaking(i, j int) bool {
	delta := 0
	for _, e := range h.log[i:j] {
		delta += e.change.Delta()
	}
	for _, w := range h.stackAt(i).takings() {
		if w.delta != delta {
			continue
		}
		c, before := fold(h.log[i:j]), h.textAt(i)
		if exact, ok := w.isMade(c, before); ok {
			h.replace(stretch{from: i, to: j}, []*entry{{change: exact}})
			return true
		}
	}
	return false
}
