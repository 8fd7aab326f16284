package headless

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// Insert inserts s at off, as one undo step and one didChange. If it returns an error, nothing changed; the error wraps
// [ErrBadRange], [disk.ErrNotUTF8] or [ErrBufferClosed]. A lost connection to the server is not an error here.
func (b *Buffer) Insert(off int, s string) error { return b.Replace(off, off, s) }

// Replace replaces [start,end) by s; otherwise it is like [Buffer.Insert].
func (b *Buffer) Replace(start, end int, s string) error {
	return b.Change(edits.Edit{Start: start, End: end, New: s})
}

// Change makes several changes in one didChange and one undo step. They are made in order, and the offsets of each refer to
// the text after the previous ones. On error none was made; the error is as for [Buffer.Insert].
func (b *Buffer) Change(changes ...edits.Edit) error {
	b.e.Lock()
	defer b.e.Unlock()
	return b.change(changes)
}

// Type inserts s at the cursor and moves the cursor behind it; otherwise it is like [Buffer.Insert].
func (b *Buffer) Type(s string) error {
	b.e.Lock()
	defer b.e.Unlock()
	before := b.State()
	e := edits.Edit{Start: before.cursor, End: before.cursor, New: s}
	if err := b.change([]edits.Edit{e}); err != nil {
		return err
	}
	e = b.habits.Typed(before.Text, e)
	b.set(func(s *State) { s.cursor = min(e.Start+len(e.New), s.Text.Len()) })
	return nil
}

func (b *Buffer) change(changes []edits.Edit) error {
	batches, err := b.Batches(changes)
	if err == nil {
		b.Make(batches)
	}
	return err
}

// Batches returns the edits that the editor reports for the user's changes. Each change refers
// to the text after the previous ones. The error is as for [Buffer.Insert]. The editor must be locked.
func (b *Buffer) Batches(changes []edits.Edit) (batches []edits.Edits, err error) {
	s := b.State()
	if s.closed {
		return nil, ErrBufferClosed
	}
	t := s.Text
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

// Make makes the batches in order, in one didChange and as one undo step. The editor must be locked, and the batches valid.
func (b *Buffer) Make(batches []edits.Edits) {
	if len(batches) > 0 {
		b.MakeApart([][]edits.Edits{batches}, [][]edits.Edits{batches})
	}
}

// MakeApart makes changes as one undo step, but each in a didChange of its own. The undo step takes back the changes in
// undone, which must lead to the same text but may be other changes. Otherwise it is like [Buffer.Make].
func (b *Buffer) MakeApart(changes, undone [][]edits.Edits) {
	if back := inverse(b.State().Text, undone); len(back) > 0 {
		if b.undo = append(b.undo, back); len(b.undo) > maxSteps {
			b.undo = slices.Delete(b.undo, 0, 1)
		}
		b.redo = nil
	}
	b.play(changes)
}

// play makes the changes in order, each with a version of its own. A new state is published only after its didChange is
// written, or is in the outbox, so that nothing about a text is sent before its didChange. It needs the editor's lock.
func (b *Buffer) play(changes [][]edits.Edits) {
	for _, batches := range changes {
		s := b.State()
		t, cursor := s.Text, s.cursor
		for _, batch := range batches {
			cursor = changeset.Of(batch, t).Map(cursor, false)
			t = batch.Apply(t)
		}
		c, version := Change{Before: s.Text, Batches: batches, By: b.e.applying}, b.habits.NextVersion()
		b.set(func(s *State) {
			s.Text, s.cursor, s.Version = t, cursor, version
			b.habits.Changed(s, c)
		})
	}
}

func checkEdit(t text.Text, e edits.Edit) error {
	if e.Start > e.End {
		return fmt.Errorf("[%d,%d): %w", e.Start, e.End, ErrBadRange)
	}
	if !utf8.ValidString(e.New) {
		return disk.ErrNotUTF8
	}
	if err := checkOffset(t, e.Start); err != nil {
		return err
	}
	return checkOffset(t, e.End)
}

// checkOffset returns an error if off is outside of t or inside a code point.
func checkOffset(t text.Text, off int) error {
	if off < 0 || off > t.Len() || off < t.Len() && !utf8.RuneStart(t.Slice(off, off+1)[0]) {
		return fmt.Errorf("offset %d of a text of %d bytes: %w", off, t.Len(), ErrBadRange)
	}
	return nil
}

// maxSteps is how many steps of a buffer can be undone, as in Vim; the oldest go first.
const maxSteps = 1000

// step is what undoes or redoes one step: changes, each a list of batches in order. It keeps the edits, not whole texts.
type step [][]edits.Edits

// inverse returns the step that takes back changes of the text t, without those that are empty. It has strings of
// its own: a few bytes would otherwise keep the whole text that they are part of in memory.
func inverse(t text.Text, changes [][]edits.Edits) (s step) {
	for _, batches := range changes {
		var back []edits.Edits
		for _, batch := range batches {
			if len(batch) == 0 {
				continue
			}
			es := changeset.Of(batch, t).Invert().Edits()
			for i := range es {
				es[i].New = strings.Clone(es[i].New)
			}
			back, t = append(back, es), batch.Apply(t)
		}
		if slices.Reverse(back); len(back) > 0 {
			s = append(s, back)
		}
	}
	slices.Reverse(s)
	return s
}

// Undo takes back the newest step and sends the change. It returns false if there is none, or if the buffer is closed. One
// applied edit is one step; up to a thousand steps can be taken back.
func (b *Buffer) Undo() bool { return b.travel(&b.undo, &b.redo) }

// Redo repeats the step that Undo took back last, unless the text was changed
// since. It returns false if there is nothing to redo.
func (b *Buffer) Redo() bool { return b.travel(&b.redo, &b.undo) }

// travel takes the top step off from, plays it, and puts its inverse on to.
func (b *Buffer) travel(from, to *[]step) bool {
	b.e.Lock()
	defer b.e.Unlock()
	n := len(*from) - 1
	if n < 0 || b.Closed() {
		return false
	}
	s := (*from)[n]
	*from, *to = (*from)[:n], append(*to, inverse(b.State().Text, s))
	b.play(s)
	return true
}
