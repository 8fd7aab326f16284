package headless

import (
	"fmt"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Insert inserts s at off, as one undo step and one didChange. The error says
// that nothing changed: it wraps [ErrBadRange], [ErrNotUTF8] or
// [ErrBufferClosed]. A server that is gone is no error here.
func (b *Buffer) Insert(off int, s string) error { return b.Replace(off, off, s) }

// Replace replaces [start,end) by s; otherwise it is like [Buffer.Insert].
func (b *Buffer) Replace(start, end int, s string) error {
	return b.Change(edits.Edit{Start: start, End: end, New: s})
}

// Change makes several changes in one didChange and one undo step. They are
// made in order: the offsets of each are those of the text after the ones
// before it. The error is as for [Buffer.Insert], and then none was made.
func (b *Buffer) Change(changes ...edits.Edit) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	return b.change(changes)
}

// Type inserts s at the cursor and moves the cursor behind it; otherwise it is
// like [Buffer.Insert].
func (b *Buffer) Type(s string) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	before := b.State()
	e := edits.Edit{Start: before.cursor, End: before.cursor, New: s}
	if err := b.change([]edits.Edit{e}); err != nil {
		return err
	}
	e = b.habits.Typed(before.Text, e)
	b.set(func(s *State) { s.cursor = min(e.Start+len(e.New), s.Text.Len()) })
	return nil
}

// SetText replaces the whole text, sent as a change without a range, as one
// undo step. The error is as for [Buffer.Insert].
func (b *Buffer) SetText(s string) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	before := b.State()
	if before.closed {
		return ErrBufferClosed
	}
	if !utf8.ValidString(s) {
		return ErrNotUTF8
	}
	whole := edits.Edits{b.habits.Typed(before.Text, edits.Edit{End: before.Text.Len(), New: s})}
	if before.Text.Len() == 0 && whole[0].New == "" {
		return nil
	}
	batches := []edits.Edits{whole}
	b.record(step{forward: batches, inverse: []edits.Edits{whole.Invert(before.Text)}})
	b.commit(whole.Apply(before.Text), min(before.cursor, len(whole[0].New)), Change{before.Text, batches, true})
	return nil
}

func (b *Buffer) change(changes []edits.Edit) error {
	s := b.State()
	if s.closed {
		return ErrBufferClosed
	}
	batches, err := b.batches(s.Text, changes)
	if err == nil {
		b.apply("", batches)
	}
	return err
}

// batches returns the edits that the editor makes of changes which the user makes of t,
// in order. It needs e.mu.
func (b *Buffer) batches(t text.Text, changes []edits.Edit) ([]edits.Edits, error) {
	var batches []edits.Edits
	for _, c := range changes {
		if err := checkEdit(t, c); err != nil {
			return nil, err
		}
		if c = b.habits.Typed(t, c); c.Start == c.End && c.New == "" {
			continue
		}
		batch := edits.Edits{c}
		batches = append(batches, batch)
		t = batch.Apply(t)
	}
	return batches, nil
}

// apply makes a new undo step of the batches, which are made in order, in one
// didChange. It needs e.mu; the batches must be valid.
func (b *Buffer) apply(label string, batches []edits.Edits) {
	if len(batches) == 0 {
		return
	}
	b.record(step{label: label, forward: batches, inverse: b.play(batches)})
}

// play makes the batches in order, sends them as one didChange, and returns the
// batches that take them back. It needs e.mu.
func (b *Buffer) play(batches []edits.Edits) []edits.Edits {
	s := b.State()
	t, cursor := s.Text, s.cursor
	inverse := make([]edits.Edits, len(batches))
	for i, batch := range batches {
		inverse[len(batches)-1-i] = batch.Invert(t)
		cursor = moved(cursor, batch)
		t = batch.Apply(t)
	}
	b.commit(t, cursor, Change{Before: s.Text, Batches: batches})
	return inverse
}

// commit makes t the buffer's text with the next version. The new state is
// published only after its didChange is written, or is in the outbox, so that
// nobody can send something about a text before it. It needs e.mu.
func (b *Buffer) commit(t text.Text, cursor int, c Change) {
	version := b.habits.NextVersion()
	b.set(func(s *State) {
		s.Text, s.cursor, s.Version = t, cursor, version
		if changed := b.e.opts.Changed; changed != nil {
			changed(TextChange{b, c.Before, t, version, b.e.applying})
		}
		b.habits.Changed(s, c)
	})
}

// moved returns where off is after es. What is inserted right at off goes
// behind it.
func moved(off int, es edits.Edits) int {
	shift := 0
	for _, e := range es {
		if e.Start >= off {
			break
		}
		if e.End > off { // its text is gone
			return e.Start + shift + len(e.New)
		}
		shift += len(e.New) - (e.End - e.Start)
	}
	return off + shift
}

func checkEdit(t text.Text, e edits.Edit) error {
	if e.Start > e.End {
		return fmt.Errorf("[%d,%d): %w", e.Start, e.End, ErrBadRange)
	}
	if !utf8.ValidString(e.New) {
		return ErrNotUTF8
	}
	if err := checkOffset(t, e.Start); err != nil {
		return err
	}
	return checkOffset(t, e.End)
}

// checkOffset refuses offsets that no position can name.
func checkOffset(t text.Text, off int) error {
	if off < 0 || off > t.Len() || off < t.Len() && !utf8.RuneStart(t.Slice(off, off+1)[0]) {
		return fmt.Errorf("offset %d of a text of %d bytes: %w", off, t.Len(), ErrBadRange)
	}
	return nil
}
