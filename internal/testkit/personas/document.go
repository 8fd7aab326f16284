package personas

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// document is what the editor knows of a buffer besides its text, including what it has
// yet to send to the server. It is guarded by the editor's lock.
type document struct {
	q *quirks
	b *headless.Buffer

	eol  string // what line ends in new text become; "" leaves them
	crlf bool   // the file has "\r\n" where the buffer has "\n"
	bare bool   // the buffer has no newline of its own at the end (Vim's noeol)

	out     outbox
	pending bool // the server is still to be told of something
	past    []past
	dice    *rand.Rand // for the faults of its changes

	parts         int   // didChanges that the edit in progress takes
	before, after int32 // versions, of the edit in progress
}

func docOf(b *headless.Buffer) *document { return headless.HabitsOf(b).(*document) } //nolint:errcheck // the editor has no others

// Opened implements [headless.Document].
func (d *document) Opened(s *headless.State) {
	s.Version = d.q.firstVersion(d.b.URI())
	if d.q.edit == nil {
		d.q.touch(d.b)
	} else {
		d.q.edit.opens(d)
	}
	switch {
	case d.out.mute:
	case d.out.untold:
		d.pending = true
	default:
		d.q.e.TellOpen(d.b, s)
	}
}

// NextVersion implements [headless.Document]. If the persona reports which versions an
// edit made, no didChange contains changes of both the edit and the user.
func (d *document) NextVersion() int32 {
	q := d.q
	if q.Edits.Versions && (q.edit != nil || q.Sync.Delay == DelayNone) {
		d.Flush()
	}
	before := d.b.Version()
	if q.edit == nil {
		return d.faultyVersion(before, q.Sync.nextVersion(before))
	}
	q.edit.changes(d, before)
	v := before
	for range max(1, d.parts) {
		v = q.Sync.nextVersion(v)
	}
	return d.faultyVersion(before, v)
}

// Changed implements [headless.Document].
func (d *document) Changed(s *headless.State, c headless.Change) {
	q := d.q
	if q.edit == nil {
		q.touch(d.b)
		d.refine(s.Text)
	}
	t := c.Before
	for _, batch := range c.Batches {
		d.remember(t, batch)
		t = batch.Apply(t)
	}
	parts := []headless.Change{c}
	if q.edit != nil && q.Edits.ByLine {
		parts = apart(c)
	}
	version := d.b.Version()
	for i, part := range parts {
		if len(parts) > 1 {
			version = q.Sync.nextVersion(version)
			s.Version, s.Text = version, c.Batches[i].Apply(part.Before)
		}
		if draw(d.dice, q.Faults.Lost) {
			continue
		}
		if q.Sync.WholeLines {
			part = inWholeLines(part)
		}
		d.out.changes = append(d.out.changes, q.e.ContentChanges(part)...)
		d.send(s)
	}
	if draw(d.dice, q.Faults.Reopens) {
		d.reopen(s)
	}
}

// apart returns a change for each batch, one that changes nothing included: Neovim tells of
// that too.
func apart(c headless.Change) []headless.Change {
	var parts []headless.Change
	t := c.Before
	for _, batch := range c.Batches {
		told := batch
		if len(batch) == 0 {
			told = edits.Edits{{}}
		}
		parts = append(parts, headless.Change{Before: t, Batches: []edits.Edits{told}})
		t = batch.Apply(t)
	}
	return parts
}

// inWholeLines turns each batch into one edit that replaces all lines from the first to
// the last that the batch touches.
func inWholeLines(c headless.Change) headless.Change {
	whole := headless.Change{Before: c.Before}
	t := c.Before
	for _, batch := range c.Batches {
		if len(batch) == 0 || batch[0] == (edits.Edit{}) {
			whole.Batches = append(whole.Batches, batch)
			continue
		}
		whole.Batches = append(whole.Batches, wholeLines(t, batch))
		t = batch.Apply(t)
	}
	return whole
}

func wholeLines(t text.Text, es edits.Edits) edits.Edits {
	first, last := es[0].Start, es[len(es)-1].End
	start := min(first, t.LineStart(t.LineAt(first)))
	end := max(last, t.LineStart(t.LineAt(last)+1))
	after := es.Apply(t)
	return edits.Edits{{Start: start, End: end, New: after.Slice(start, end+es.Delta())}}
}

// Saved implements [headless.Document].
func (d *document) Saved(s *headless.State) {
	switch late := d.q.Sync.SavesLate; {
	case d.out.mute:
	case late == 0:
		d.q.e.TellSave(d.b, s)
	default:
		time.AfterFunc(late, d.savedLate)
	}
}

// savedLate sends a didSave with the current text.
func (d *document) savedLate() {
	d.q.e.Lock()
	defer d.q.e.Unlock()
	if d.b.Closed() || d.q.ended() {
		return
	}
	d.Flush()
	now := d.b.State()
	d.q.e.TellSave(d.b, &now)
}

// Closed implements [headless.Document].
func (d *document) Closed() {
	if d.Flush(); !d.out.untold {
		d.close()
	}
	d.disarm()
}

func (d *document) close() {
	d.q.newest[d.b.URI()] = d.b.Version()
	if !d.out.mute {
		d.q.e.TellClose(d.b)
	}
}

// reopen tells the server that the document was closed and opened again.
func (d *document) reopen(s *headless.State) {
	d.flush(s)
	d.close()
	s.Version = d.q.firstVersion(d.b.URI())
	d.out.last = time.Time{}
	d.q.e.TellOpen(d.b, s)
}

// announce sends the didOpen of a buffer that the server does not know yet.
func (d *document) announce(s *headless.State) {
	d.out.untold, d.out.changes, d.pending = false, nil, false
	s.Version = d.q.firstVersion(d.b.URI())
	d.q.e.TellOpen(d.b, s)
	if d.q.Files.OpensTwice {
		_ = d.q.e.Notify(context.Background(), "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": d.b.URI(), "languageId": nil, "version": s.Version, "text": s.Text.String(),
		}})
	}
}

// announceLater calls announce, if still needed, once the answer is written.
func (d *document) announceLater() {
	d.q.e.Lock()
	defer d.q.e.Unlock()
	if d.out.untold {
		d.Flush()
	}
}
