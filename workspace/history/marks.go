package history

import (
	"slices"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
)

// mark says that somebody was told rev of the text at a boundary.
type mark struct {
	rev string
	at  *boundary
}

// Mark says that somebody was told rev of the text as of seq. It is ignored if
// that boundary is gone. Of one rev the newest boundary counts.
func (h *History) Mark(seq int, rev string) {
	h.lock()
	defer h.unlock()
	k, ok := h.boundary(seq)
	if !ok {
		return
	}
	if i := h.marked(rev); i >= 0 {
		if h.marks[i].at.seq > seq {
			return
		}
		h.unmark(i)
	}
	h.at(k).marks++
	h.marks = append(h.marks, mark{rev, h.at(k)})
}

// Since returns all that happened to the text since the newest boundary that was
// marked with rev, false if none is remembered.
func (h *History) Since(rev string) (changeset.Changeset, bool) {
	h.lock()
	defer h.unlock()
	i := h.marked(rev)
	if i < 0 {
		return nil, false
	}
	return h.since(h.where(h.marks[i].at)), true
}

// SinceSeq returns all that happened to the text since it was as of seq, false if
// that boundary is gone.
func (h *History) SinceSeq(seq int) (changeset.Changeset, bool) {
	h.lock()
	defer h.unlock()
	k, ok := h.boundary(seq)
	if !ok {
		return nil, false
	}
	return h.since(k), true
}

// Pin keeps the boundary at seq until unpin is called, which may be called more
// than once; ok is false if it is gone already.
func (h *History) Pin(seq int) (unpin func(), ok bool) {
	h.lock()
	defer h.unlock()
	k, ok := h.boundary(seq)
	if !ok {
		return func() {}, false
	}
	b := h.at(k)
	b.pins++
	return sync.OnceFunc(func() {
		h.lock()
		defer h.unlock()
		b.pins--
	}), true
}

func (h *History) since(k int) changeset.Changeset {
	return h.at(k).drift.Then(fold(h.log[k:]))
}

// marked returns which mark has rev, -1 if none has.
func (h *History) marked(rev string) int {
	return slices.IndexFunc(h.marks, func(m mark) bool { return m.rev == rev })
}

func (h *History) unmark(i int) {
	h.marks[i].at.marks--
	h.marks = slices.Delete(h.marks, i, i+1)
}
