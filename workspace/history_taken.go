package workspace

import (
	"slices"
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

// takenBack returns c, which is told of the text now, by the place of what it takes back;
// ok is false where it takes nothing back. texts are those before and after c, and asked
// for where c may be it.
func (h *History) takenBack(c edits.Changeset, texts func() (was, is text.Text)) (inverse edits.Changeset, ok bool) {
	for _, k := range h.mayBeTakenBack() {
		if h.takesBack(k, c, texts) {
			return h.log[k].change.Invert(), true
		}
	}
	return nil, false
}

// mayBeTakenBack returns the entries that an editor may take back now, the newest first:
// an agent's edit, or what itself took one back, and so on before what was taken back.
func (h *History) mayBeTakenBack() []int {
	var ks []int
	for k := len(h.log) - 1; k >= 0 && len(ks) < mostLookedAt; k -= 2 {
		if h.log[k].isAgents() {
			return append(ks, k)
		}
		if k == 0 || !isTakenBack(h.log[k-1:]) {
			break
		}
		ks = append(ks, k)
	}
	return ks
}

// takesBack reports whether c, which is told of a text as entry k leaves it, takes k back.
// Among equal lines an editor may tell its undo and redo by another place, and then what
// is behind that would not be where it was. There, what leaves the text as it was takes
// nothing back, though the edit may have left it so as well.
func (h *History) takesBack(k int, c edits.Changeset, texts func() (was, is text.Text)) bool {
	if h.log[k].change.Delta() != -c.Delta() {
		return false
	}
	inverse := h.log[k].change.Invert()
	if slices.Equal(inverse, c) {
		return true
	}
	if letters(inverse) < leastReverted {
		return false // it may be somebody else's
	}
	was, is := texts()
	return !was.Equal(is) && inverse.Fits(was) && applied(inverse, was).Equal(is)
}

// letters returns how many characters c takes out and puts in.
func letters(c edits.Changeset) (n int) {
	for _, ch := range c {
		n += utf8.RuneCountInString(ch.Old) + utf8.RuneCountInString(ch.New)
	}
	return n
}

// tellTakenBack has what follows entry k, which is an agent's, told by the place of that
// where it takes it back.
func (h *History) tellTakenBack(k int) {
	for k++; k < len(h.log) && !h.log[k].isAgents(); k++ {
		e := h.log[k]
		if !h.takesBack(k-1, e.change, func() (was, is text.Text) { return h.textAt(k), h.textAt(k + 1) }) {
			return
		}
		h.count(e, -1)
		e.change = h.log[k-1].change.Invert()
		h.count(e, 1)
	}
}
