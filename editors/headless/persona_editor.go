package headless

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// quirks are the [habits] of an editor with a [Persona]. What changes is guarded by e.mu.
type quirks struct {
	Persona
	e *Editor

	written written
	later   turns // of what comes after answers

	lastInput time.Time  // of the user
	current   *Buffer    // that the user was at last
	dice      *rand.Rand // for what a persona does by chance
	buffers   uint64     // made, open or not

	// Of the edit that is being made.
	reply    *reply
	hold     bool             // the didChanges wait for the answer
	cut      map[*target]bool // files that are made empty on disk
	versions *EditVersions    // of the one document that is edited, nil for others
}

// document is the [form] of a buffer of such an editor, with what the server is still to
// be told of it.
type document struct {
	q *quirks
	b *Buffer

	eol  string // what line ends in new text become; "" leaves them
	crlf bool   // the file has "\r\n" where the buffer has "\n"
	bare bool   // the buffer has no newline of its own at the end (Vim's noeol)

	out  outbox
	past []past
	dice *rand.Rand // for the faults of its changes
}

func docOf(b *Buffer) *document { return b.form.(*document) } //nolint:errcheck // the editor has no others

func replyOf(r *request) *reply { return r.own.(*reply) } //nolint:errcheck // the editor has no others

func (p Persona) habits(e *Editor) habits {
	return &quirks{Persona: p, e: e, dice: diceOf(p.Seed, 0)}
}

func (p Persona) defaults(o *Options) {
	if o.Client.Name == "" {
		o.Client.Name = p.ClientName
	}
	if o.Encodings == nil {
		o.Encodings = p.Encodings
	}
}

func (q *quirks) declare(c *protocol.ClientCapabilities) {
	switch {
	case q.NoPlugin:
		c.Experimental = nil
	case q.Edits.Versions:
		c.Experimental = protocol.LSPAny(`{"patchls":{"save":true,"versions":true}}`)
	}
	if q.Capabilities != nil {
		q.Capabilities(c)
	}
}

func (q *quirks) received(r *request) {
	own := &reply{request: r, q: q}
	if q.waitsForAnswers() {
		q.written.onAnswer(r.id, own.done)
	}
	r.own = own
}

func (q *quirks) answer(ctx context.Context, r *request, method string) (handled bool, err error) {
	switch {
	case q.NoPlugin && strings.HasPrefix(method, "patchls/"):
		return true, unknownMethod(method)
	case method == "workspace/diagnostic/refresh":
		q.refresh(ctx, replyOf(r))
		return true, nil
	}
	return false, nil
}

func (q *quirks) perform(ctx context.Context, r *request, p *ApplyEditParams) ApplyEditResult {
	return q.suffer(ctx, replyOf(r), p)
}

func (q *quirks) wrote(message []byte) { q.written.message(message) }

func (q *quirks) edits(p *plan, t *target, id DocumentID, list []TextEdit, versioned bool) (batches []edits.Edits, skip bool, err error) {
	base, changes := t.text, []edits.Edits(nil)
	if versioned {
		if base, changes, skip, err = q.versioned(p, t, id); err != nil || skip {
			return nil, skip, err
		}
	}
	batches, err = q.batches(t, base, list, changes)
	return batches, false, ofDocument(id, err)
}

func (q *quirks) newForm(b *Buffer) form {
	q.buffers++
	return &document{q: q, b: b, dice: diceOf(q.Seed, q.buffers)}
}

func (q *quirks) nextVersion(b *Buffer) int32 {
	d := docOf(b)
	if q.Edits.Versions && q.Sync.Delay == DelayNone {
		d.flush() // what waits for an answer, so that no didChange has what two hands did
	}
	v := b.now.Load().version
	return d.faultyVersion(v, q.Sync.nextVersion(v))
}

func (q *quirks) opened(b *Buffer, s *state) {
	switch d := docOf(b); {
	case d.out.mute:
	case d.out.untold:
		s.pending = true
	default:
		q.e.tellOpen(b, s)
	}
}

func (q *quirks) changed(b *Buffer, s *state, changes []contentChange) {
	d := docOf(b)
	if !draw(d.dice, q.Faults.Lost) {
		d.out.changes = append(d.out.changes, changes...)
		d.send(s)
	}
	b.now.Store(s)
	if draw(d.dice, q.Faults.Reopens) {
		d.reopen()
	}
}

func (q *quirks) saved(b *Buffer, s *state) {
	if !docOf(b).out.mute {
		q.e.tellSave(b, s)
	}
}

func (q *quirks) closed(b *Buffer) {
	d := docOf(b)
	if d.flush(); !d.out.untold {
		d.close()
	}
	d.disarm()
}

func (d *document) close() {
	if !d.out.mute {
		d.q.e.tellClose(d.b)
	}
}

func (q *quirks) flush(b *Buffer) { docOf(b).flush() }

func (q *quirks) told(t text.Text, es edits.Edits) edits.Edits {
	switch {
	case len(es) == 0: // Neovim tells of that too
		return edits.Edits{{}}
	case q.Sync.WholeLines:
		return wholeLines(t, es)
	}
	return es
}

func (q *quirks) input(b *Buffer) { q.lastInput, q.current = time.Now(), b }

func (q *quirks) made(b *Buffer, t text.Text, es edits.Edits) { docOf(b).remember(t, es) }

func (q *quirks) saving(b *Buffer) {
	d := docOf(b)
	d.completeLine()
	d.flush()
}

func (q *quirks) reloaded(b *Buffer) {
	if q.Sync.ReloadReopens {
		docOf(b).reopen()
	}
}

// tellOpenAgain is the second didOpen of a file that eglot opened for an edit.
func (q *quirks) tellOpenAgain(b *Buffer, s *state) {
	if q.e.sync.openClose {
		q.e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": b.uri, "languageId": nil, "version": s.version, "text": s.text.String(),
		}})
	}
}
