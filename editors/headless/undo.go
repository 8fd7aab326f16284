package headless

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// maxSteps is how many steps of a buffer can be undone, as in Vim; the oldest go first.
const maxSteps = 1000

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
	if s.forward, s.inverse = detached(s.forward), detached(s.inverse); len(s.forward) == 0 {
		return
	}
	if b.undo = append(b.undo, s); len(b.undo) > maxSteps {
		b.undo = slices.Delete(b.undo, 0, 1)
	}
	b.redo = nil
}

// detached returns the batches that change anything, with texts of their own: a few bytes would keep the
// message, or the part of a text, in memory that they came with.
func detached(batches []edits.Edits) []edits.Edits {
	var all []edits.Edits
	for _, batch := range batches {
		if len(batch) == 0 {
			continue
		}
		own := slices.Clone(batch)
		for i := range own {
			own[i].New = strings.Clone(own[i].New)
		}
		all = append(all, own)
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
	if n < 0 || b.Closed() {
		return false
	}
	s := (*from)[n]
	*from = (*from)[:n]
	if s.apart {
		b.playApart(s.inverse)
	} else {
		b.play(s.inverse)
	}
	*to = append(*to, step{s.label, s.inverse, s.forward, s.apart})
	return true
}

// Act makes an act of the user that the editor makes in several parts, as one undo step.
// The offsets of each part are those of the text after the ones before it. Where it is
// told whole, the server is told of one change, of the text from the first part to the
// last, else of one for each part; so with its undo and redo. What the server asks for
// is not done between the parts: an editor works on one key at a time. The error is as
// for [Buffer.Insert], and then no part was made.
func (b *Buffer) Act(parts []edits.Edit, toldWhole, undoneWhole bool) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	s := b.State()
	if s.closed {
		return ErrBufferClosed
	}
	batches, err := b.batches(s.Text, parts)
	if err != nil || len(batches) == 0 {
		return err
	}
	whole := span(s.Text, batches)
	told, done := batches, step{forward: batches, apart: true}
	if toldWhole {
		told = []edits.Edits{whole}
	}
	if undoneWhole {
		done = step{forward: []edits.Edits{whole}, apart: true}
	}
	t := s.Text
	for _, batch := range done.forward {
		done.inverse = append([]edits.Edits{batch.Invert(t)}, done.inverse...)
		t = batch.Apply(t)
	}
	b.playApart(told)
	b.record(done)
	return nil
}

// playApart is play with a change of its own for each batch. It needs e.mu.
func (b *Buffer) playApart(batches []edits.Edits) {
	for _, batch := range batches {
		b.play([]edits.Edits{batch})
	}
}

// span returns one edit of t that does what the batches do: of all from the first
// place that they touch to the last.
func span(t text.Text, batches []edits.Edits) edits.Edits {
	start, tail := t.Len(), t.Len() // tail is what stays behind the last place
	now := t
	for _, batch := range batches {
		first, last := batch[0], batch[len(batch)-1]
		start = min(start, first.Start)
		tail = min(tail, now.Len()-last.End)
		now = batch.Apply(now)
	}
	return edits.Edits{{Start: start, End: t.Len() - tail, New: now.Slice(start, now.Len()-tail)}}
}
