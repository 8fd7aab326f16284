package headless

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

// mostSteps is how many steps of a buffer can be undone, as in Vim; the oldest go first.
const mostSteps = 1000

// step is one step of undo: the batches as they were made in order, and the
// batches that take them back. It keeps what changed, not whole texts.
type step struct {
	label            string
	forward, inverse []edits.Edits
	apart            bool // each batch is a change of its own
}

// record puts a new step on the undo stack. What was undone before cannot be
// redone any more. It needs e.mu.
func (b *Buffer) record(s step) {
	s.forward, s.inverse = detached(s.forward), detached(s.inverse)
	if b.undo = append(b.undo, s); len(b.undo) > mostSteps {
		b.undo = slices.Delete(b.undo, 0, 1)
	}
	b.redo = nil
}

// detached returns the batches with texts of their own: a few bytes would keep the
// message, or the part of a text, in memory that they came with.
func detached(batches []edits.Edits) []edits.Edits {
	all := make([]edits.Edits, len(batches))
	for i, batch := range batches {
		all[i] = slices.Clone(batch)
		for j := range all[i] {
			all[i][j].New = strings.Clone(all[i][j].New)
		}
	}
	return all
}

// Undo takes back the newest step and sends the change. It is false when there
// is none, or the buffer is closed. One applied edit is one step; a thousand of them can
// be taken back.
func (b *Buffer) Undo() bool { return b.travel(&b.undo, &b.redo) }

// Redo makes again what Undo took back last, unless something was changed
// since. It is false when there is nothing to redo.
func (b *Buffer) Redo() bool { return b.travel(&b.redo, &b.undo) }

// travel plays back the top of from and puts it, turned round, on to.
func (b *Buffer) travel(from, to *[]step) bool {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	n := len(*from) - 1
	if n < 0 || b.now.Load().closed {
		return false
	}
	s := (*from)[n]
	*from = (*from)[:n]
	b.e.habits.input(b)
	if s.apart {
		b.playApart(s.inverse)
	} else {
		b.play(s.inverse)
	}
	b.form.refine(b.now.Load().text)
	*to = append(*to, step{s.label, s.inverse, s.forward, s.apart})
	return true
}
