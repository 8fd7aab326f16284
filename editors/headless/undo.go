package headless

import "github.com/patchls/patchls/edits"

// step is one step of undo: the batches as they were made in order, and the
// batches that take them back. It keeps what changed, not whole texts.
type step struct {
	label            string
	forward, inverse []edits.Edits
}

// record puts a new step on the undo stack. What was undone before cannot be
// redone any more. It needs e.mu.
func (b *Buffer) record(s step) {
	b.undo = append(b.undo, s)
	b.redo = nil
}

// Undo takes back the newest step and sends the change. It is false when there
// is none, or the buffer is closed. One applied edit is one step.
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
	b.e.input(b)
	b.play(s.inverse)
	b.refine()
	*to = append(*to, step{s.label, s.inverse, s.forward})
	return true
}
