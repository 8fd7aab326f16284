package headless

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// habits are the decisions that editors take differently. The editor's own are
// [compliant]; those of other editors, for tests, are a [Persona]'s.
//
// Where nothing else is said a method is called with e.mu held.
type habits interface {
	// declare changes the capabilities that the editor declares. No lock is held.
	declare(c *protocol.ClientCapabilities)
	// received is called with each request as it comes, on the goroutine that reads.
	received(r *request)
	// answer works on a request in the editor's place, if it is handled: the answer is then
	// null, or the error. No lock is held.
	answer(ctx context.Context, r *request, method string) (handled bool, err error)
	// perform does a workspace/applyEdit. No lock is held.
	perform(ctx context.Context, r *request, p *ApplyEditParams) ApplyEditResult
	// calling is told of a request before it is sent, wrote of each message after it
	// was, and ended of the end of the connection. No lock is held.
	calling(method string, params json.RawMessage)
	wrote(message []byte)
	ended()

	// prepare looks at a change of a workspace edit before it is planned. skip says that
	// nothing is to be planned.
	prepare(p *plan, c *DocumentChange) (skip bool, err error)
	// edits turns text edits of a target into batches, to be made in order. skip says
	// that there is nothing to make, and nothing wrong.
	edits(p *plan, t *target, id DocumentID, list []TextEdit, versioned bool) (batches []edits.Edits, skip bool, err error)
	// commit does what is planned of a target.
	commit(p *plan, t *target) error

	// newForm returns what the editor knows of the text of a new buffer.
	newForm(b *Buffer) form
	// firstVersion is the version of a document that is opened, nextVersion that of the
	// text after one more change.
	firstVersion() int32
	nextVersion(b *Buffer) int32

	// opened, changed, saved and closed tell the server of a document, now or later.
	// changed makes s the buffer's state as well, and not before the server is told.
	opened(b *Buffer, s *state)
	changed(b *Buffer, s *state, changes []contentChange)
	saved(b *Buffer, s *state)
	closed(b *Buffer)
	// flush tells the server what it was not told yet.
	flush(b *Buffer)
	// told returns the edits that the server is told of where es were made of t.
	told(t text.Text, es edits.Edits) edits.Edits

	// input is called when the user does something to a buffer, made when es were made
	// of its text t, saving before it is saved, and reloaded when its file was read again.
	input(b *Buffer)
	made(b *Buffer, t text.Text, es edits.Edits)
	saving(b *Buffer)
	reloaded(b *Buffer)
}

// form is what an editor knows of a document's text besides the text.
type form interface {
	// open returns the text that the editor makes of one that is opened. ofFile says that
	// it is what a file holds.
	open(s string, ofFile bool) string
	// insert returns what the editor makes of text that comes into the buffer, whole of
	// one that becomes the whole buffer's.
	insert(s string) string
	whole(s string) string
	// typed returns the edit that the editor makes of one which the user makes of t.
	typed(t text.Text, e edits.Edit) edits.Edit
	// refine takes in what the user made of the text.
	refine(t text.Text)
	// file returns what a file holds that has the text s.
	file(s []byte) []byte
	// inherit makes the form that of a document which continues under another name.
	inherit(old form)
}

// compliant are the habits of the embedded editor: it does what LSP says, tells of every
// change at once, leaves every text as it is, and leaves the disk alone until a document
// is saved.
type compliant struct{ e *Editor }

func (h compliant) declare(*protocol.ClientCapabilities) {}

func (h compliant) received(*request) {}

func (h compliant) answer(context.Context, *request, string) (handled bool, err error) {
	return false, nil
}

func (h compliant) perform(_ context.Context, _ *request, p *ApplyEditParams) ApplyEditResult {
	return h.e.apply(p)
}

func (h compliant) calling(string, json.RawMessage) {}
func (h compliant) wrote([]byte)                    {}
func (h compliant) ended()                          {}

func (h compliant) prepare(*plan, *DocumentChange) (skip bool, err error) { return false, nil }

func (h compliant) edits(_ *plan, t *target, id DocumentID, list []TextEdit, versioned bool) (batches []edits.Edits, skip bool, err error) {
	if versioned {
		if err := t.checkVersion(id); err != nil {
			return nil, false, err
		}
	}
	es, err := located(t.text, list, h.e.encoding)
	if err == nil {
		batches, err = one(joined(es))
	}
	return batches, false, ofDocument(id, err)
}

func (h compliant) commit(p *plan, t *target) error {
	p.commitOne(t)
	return nil
}

func (h compliant) newForm(*Buffer) form        { return plain{} }
func (h compliant) firstVersion() int32         { return 1 }
func (h compliant) nextVersion(b *Buffer) int32 { return b.now.Load().version + 1 }

func (h compliant) opened(b *Buffer, s *state) { h.e.tellOpen(b, s) }

func (h compliant) changed(b *Buffer, s *state, changes []contentChange) {
	h.e.tellChange(b, s, changes)
	b.now.Store(s)
}

func (h compliant) saved(b *Buffer, s *state) { h.e.tellSave(b, s) }
func (h compliant) closed(b *Buffer)          { h.e.tellClose(b) }
func (h compliant) flush(*Buffer)             {}

func (h compliant) told(_ text.Text, es edits.Edits) edits.Edits { return es }

func (h compliant) input(*Buffer)                        {}
func (h compliant) made(*Buffer, text.Text, edits.Edits) {}
func (h compliant) saving(*Buffer)                       {}
func (h compliant) reloaded(*Buffer)                     {}

// plain is the form of a text that is left as it is.
type plain struct{}

func (plain) open(s string, _ bool) string               { return s }
func (plain) insert(s string) string                     { return s }
func (plain) whole(s string) string                      { return s }
func (plain) typed(_ text.Text, e edits.Edit) edits.Edit { return e }
func (plain) refine(text.Text)                           {}
func (plain) file(s []byte) []byte                       { return s }
func (plain) inherit(form)                               {}
