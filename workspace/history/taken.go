package history

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// segmentLen returns how many entries are handled as one. An edit that the next entry undoes
// exactly counts as one with it, since the two change nothing.
func segmentLen(es []*entry) int {
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

// Bounds for recognizing the user's undo: how many entries we look back over, in how many
// entries an editor may tell of one undo, and how many beginnings of the journal we try.
const (
	maxNested = 64
	maxPieces = 16
	maxTried  = 32
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
func (h *History) stackAt(k int) undoStack { return h.stacksAt(k, k)[0] }

// stacksAt is stackAt for the boundaries from the one to the other.
func (h *History) stacksAt(from, to int) []undoStack {
	var s undoStack
	all := make([]undoStack, 0, to-from+1)
	for k := max(0, from-maxNested); k < to; k++ {
		if k >= from {
			all = append(all, s)
		}
		s = s.with(h.log[k], h.log[k+1:])
	}
	return append(all, s)
}

// with returns what can be undone and redone after one entry more, which others follow.
func (s undoStack) with(e *entry, next []*entry) undoStack {
	switch done, undone := s.done, s.undone; {
	case e.isAgents():
		return undoStack{done: &undoStep{e, done}}
	case len(e.change) == 0:
		return s
	case done != nil && isInverse(e.change, done.of.change):
		return undoStack{done.below, &undoStep{done.of, undone}}
	case undone != nil && slices.Equal(e.change, undone.of.change) && (len(next) == 0 || !isMove(e.change, next[0].change)):
		return undoStack{&undoStep{undone.of, done}, undone.below}
	default:
		return undoStack{done: &undoStep{e, done}}
	}
}

// isUndone reports whether entry k was taken back by the editor's undo since, and not made
// again.
func (h *History) isUndone(k int) bool {
	var s undoStack
	for i, e := range h.log[k:] {
		s = s.with(e, h.log[k+i+1:])
	}
	for step := s.done; step != nil; step = step.below {
		if step.of == h.log[k] {
			return false
		}
	}
	return true
}

func isInverse(c, of changeset.Changeset) bool {
	return len(c) == len(of) && c.Delta() == -of.Delta() && slices.Equal(of.Invert(), c)
}

// isMove reports whether c takes out one text and next, which came right after it, puts it
// in again: so an editor tells of lines that the user moves, after the undo of a deletion
// as at any time, and it is no redo.
func isMove(c, next changeset.Changeset) bool {
	return len(c) == 1 && c[0].New == "" && slices.ContainsFunc(next, func(ch changeset.Change) bool { return ch.Old == "" && ch.New == c[0].Old })
}

// taking is the undo of an agent's edit, or the redo.
type taking struct {
	of    changeset.Changeset
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
func (w taking) isMade(c changeset.Changeset, t text.Text) (exact changeset.Changeset, ok bool) {
	exact = w.of
	if !w.redo {
		exact = w.of.Invert()
	}
	return exact, slices.Equal(exact, c) || letters(exact) >= minReverted && doTheSame(c, exact, t)
}

// letters returns how many characters c takes out and puts in.
func letters(c changeset.Changeset) (n int) {
	for _, ch := range c {
		n += utf8.RuneCountInString(ch.Old) + utf8.RuneCountInString(ch.New)
	}
	return n
}

// doTheSame reports whether a, which is of t, and b make the same text of t, and another
// one than it is.
func doTheSame(a, b changeset.Changeset, t text.Text) bool {
	if a, b = a.Then(nil), b.Then(nil); len(a) == 0 || len(b) == 0 || !b.Fits(t) {
		return false
	}
	from, to := min(a[0].At, b[0].At), max(a[len(a)-1].End(), b[len(b)-1].End())
	made := func(c changeset.Changeset) string {
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

// recognizeUndone has the last entries told by the place of an agent's edit where they are
// its undo, or the redo.
func (h *History) recognizeUndone() {
	if h.agents == 0 {
		return
	}
	end := len(h.log)
	first := max(0, end-maxPieces)
	stacks := sync.OnceValue(func() []undoStack { return h.stacksAt(first, end) })
	for i := end - 1; i >= first; i-- {
		if h.log[i].isAgents() || i < end-1 && h.log[i].end.held() ||
			h.recognizeUndo(i, end, func() undoStack { return stacks()[i-first] }) {
			return
		}
	}
}

// tellTakenBack is recognizeUndone for all that follows entry k, which is an agent's.
func (h *History) tellTakenBack(k int) {
	for i := k + 1; i < len(h.log) && !h.log[i].isAgents(); i++ {
		for j := i + 1; j <= min(i+maxPieces, len(h.log)) && !h.log[j-1].isAgents() && (j == i+1 || !h.log[j-2].end.held()); j++ {
			if h.recognizeUndo(i, j, func() undoStack { return h.stackAt(i) }) {
				break
			}
		}
	}
}

// recognizeUndo merges the entries [i,j) into one, told by the place of an agent's edit, if
// together they undo or redo it. The entries must be the user's and have no pins between them.
// before returns the undo stack at i.
func (h *History) recognizeUndo(i, j int, before func() undoStack) bool {
	delta := 0
	for _, e := range h.log[i:j] {
		delta += e.change.Delta()
	}
	if !slices.ContainsFunc(h.log[max(0, i-maxNested):i], func(e *entry) bool {
		d := e.change.Delta()
		return e.isAgents() && (d == delta || d == -delta)
	}) {
		return false // at a glance, as of nearly all that is typed
	}
	for _, w := range before().takings() {
		if w.delta != delta {
			continue
		}
		c := fold(h.log[i:j])
		if exact, ok := w.isMade(c, h.textAt(i)); ok {
			h.replace(stretch{from: i, to: j}, []*entry{{change: exact}})
			return true
		}
	}
	return false
}
