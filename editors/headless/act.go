package headless

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Act is one act of the user that an editor makes in several changes. Vim joins two
// lines in two: it puts the text of the second behind the first, and then takes the
// second out. How it tells of each act was recorded from real ones (testdata/acts).
type Act struct {
	// Parts are made in order: the offsets of each are those of the text after the
	// ones before it.
	Parts []edits.Edit
	// Told and Undone say how the editor tells of the act, and of its undo and redo.
	Told, Undone Telling
}

// Telling is how an editor tells of an act of several parts.
type Telling int

const (
	// Apart means that each part is a change with a version of its own, and if the editor does
	// not delay them, a didChange of its own.
	Apart Telling = iota
	// Whole means one change, of the text from the first part to the last.
	Whole
)

// Act makes an act, as one undo step. What the server asks for is not done between
// its parts: an editor works on one key at a time. The error is as for
// [Buffer.Insert], and then no part was made.
func (b *Buffer) Act(a Act) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	s := b.now.Load()
	if s.closed {
		return ErrBufferClosed
	}
	batches, err := b.batches(s.text, a.Parts)
	if err != nil || len(batches) == 0 {
		return err
	}
	whole := span(s.text, batches)
	b.e.input(b)
	told, done := batches, step{forward: batches, apart: true}
	if a.Told == Whole {
		told = []edits.Edits{whole}
	}
	if a.Undone == Whole {
		done = step{forward: []edits.Edits{whole}, apart: true}
	}
	t := s.text
	for _, batch := range done.forward {
		done.inverse = append([]edits.Edits{batch.Invert(t)}, done.inverse...)
		t = batch.Apply(t)
	}
	b.playApart(told)
	b.record(done)
	b.refine()
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
