package headless

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Act makes an act of the user that the editor makes in several parts, as one undo step.
// The offsets of each part are those of the text after the ones before it. Where it is
// told whole, the server is told of one change, of the text from the first part to the
// last, else of one for each part; so with its undo and redo. What the server asks for
// is not done between the parts: an editor works on one key at a time. The error is as
// for [Buffer.Insert], and then no part was made.
func (b *Buffer) Act(parts []edits.Edit, toldWhole, undoneWhole bool) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	s := b.now.Load()
	if s.closed {
		return ErrBufferClosed
	}
	batches, err := b.batches(s.text, parts)
	if err != nil || len(batches) == 0 {
		return err
	}
	whole := span(s.text, batches)
	b.e.habits.input(b)
	told, done := batches, step{forward: batches, apart: true}
	if toldWhole {
		told = []edits.Edits{whole}
	}
	if undoneWhole {
		done = step{forward: []edits.Edits{whole}, apart: true}
	}
	t := s.text
	for _, batch := range done.forward {
		done.inverse = append([]edits.Edits{batch.Invert(t)}, done.inverse...)
		t = batch.Apply(t)
	}
	b.playApart(told)
	b.record(done)
	b.form.refine(b.now.Load().text)
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
