package history

import (
	"slices"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
)

// marks say which revs of the text somebody was told, in the order told.
type marks []mark

// mark says that somebody was told rev of the text at a boundary.
type mark struct {
	rev string
	at  *boundary
}

// find returns which mark has rev, -1 if none has.
func (ms *marks) find(rev string) int {
	return slices.IndexFunc(*ms, func(m mark) bool { return m.rev == rev && !m.at.lost })
}

func (ms *marks) drop(i int) {
	(*ms)[i].at.marks--
	*ms = slices.Delete(*ms, i, i+1)
}

// Mark says that somebody was told rev of the text as of seq. It is ignored if
// that boundary is gone. Of one rev the newest boundary counts.
func (h *History) Mark(seq int, rev string) {
	h.mu.Lock()
	defer h.unlock()
	k, ok := h.log.boundary(seq)
	if !ok {
		return
	}
	if i := h.marks.find(rev); i >= 0 {
		if h.marks[i].at.seq > seq {
			return
		}
		h.marks.drop(i)
	}
	h.log.at(k).marks++
	h.marks = append(h.marks, mark{rev, h.log.at(k)})
}

// Since returns all that happened to the text since the newest boundary that was
// marked with rev, false if none is remembered.
func (h *History) Since(rev string) (changeset.Changeset, bool) {
	h.mu.Lock()
	defer h.unlock()
	if i := h.marks.find(rev); i >= 0 {
		return h.log.since(h.marks[i].at.seq)
	}
	return nil, false
}

// SinceSeq returns all that happened to the text since it was as of seq, false if
// that boundary is gone.
func (h *History) SinceSeq(seq int) (changeset.Changeset, bool) {
	h.mu.Lock()
	defer h.unlock()
	return h.log.since(seq)
}

// Pin keeps the boundary at seq until unpin is called, which may be called more
// than once; ok is false if it is gone already.
func (h *History) Pin(seq int) (unpin func(), ok bool) {
	h.mu.Lock()
	defer h.unlock()
	k, ok := h.log.boundary(seq)
	if !ok {
		return func() {}, false
	}
	b := h.log.at(k)
	b.pins++
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.unlock()
		b.pins--
	}), true
}
