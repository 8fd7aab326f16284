package personas

import (
	"os"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/acts"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// Actions of the user and queries of tests that the embedded editor does not have.

// Flush writes every pending didChange now, and the didOpen of every document that the
// server is still to be told of.
func Flush(e *headless.Editor) {
	open := e.Buffers()
	e.Lock()
	defer e.Unlock()
	for _, b := range open {
		if d, ok := b.Habits().(*document); ok && !b.Closed() {
			d.Flush()
		}
	}
}

// Pending reports whether the text has changes that the server was not told of and will be.
func Pending(b *headless.Buffer) bool {
	d, ok := b.Habits().(*document)
	if !ok {
		return false
	}
	d.q.e.Lock()
	defer d.q.e.Unlock()
	return d.pending
}

// Reload replaces the text of a buffer by that of its file, with one minimal change that
// Undo can revert.
func Reload(e *headless.Editor, b *headless.Buffer) error {
	content, err := os.ReadFile(b.Path())
	if err != nil {
		return err
	}
	e.Lock()
	defer e.Unlock()
	old, now := b.Text(), b.Habits().Open(strings.TrimPrefix(string(content), text.BOM), true)
	if old != now {
		start, tail := diff.CommonEnds(old, now)
		b.Make([]edits.Edits{{{Start: start, End: len(old) - tail, New: now[start : len(now)-tail]}}})
	}
	if d, ok := b.Habits().(*document); ok && d.q.Sync.ReloadReopens {
		s := b.State()
		d.reopen(&s)
		b.SetState(s)
	}
	b.Wrote(content, b.State().Text)
	return nil
}

// Act performs an act of the user as one undo step. An act that is told whole is reported
// to the server as one change, of the text from the first part to the last; otherwise each
// part is one change. The same holds for undo and redo. Requests of the server wait until
// all parts are made: an editor handles one key at a time. On error, no part was made.
func Act(e *headless.Editor, b *headless.Buffer, a acts.Act) error {
	e.Lock()
	defer e.Unlock()
	batches, err := b.Batches(a.Parts)
	if err != nil || len(batches) == 0 {
		return err
	}
	changes := func(whole bool) (all [][]edits.Edits) {
		if whole {
			return [][]edits.Edits{{span(b.State().Text, batches)}}
		}
		for _, batch := range batches {
			all = append(all, []edits.Edits{batch})
		}
		return all
	}
	b.MakeApart(changes(a.ToldWhole), changes(a.UndoneWhole))
	return nil
}

// span returns one edit of t that has the effect of the batches, from the first to the
// last place that they touch.
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
