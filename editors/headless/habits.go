package headless

import (
	"bytes"
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// Habits are the decisions that editors make differently. An editor without any in its [Options] follows LSP, notifies the
// server of every change at once, leaves every text as it is, and does not write to disk until a document is saved. Tests
// use the habits of other editors.
type Habits interface {
	// Document returns the habits for a new buffer. The editor is locked.
	Document(b *Buffer) Document

	// Initialize may change the parameters of initialize before they are sent.
	Initialize(p *protocol.InitializeParams)
	// Answer is called with each request whose turn has come. If it handled the request, the response is the result, or the
	// error. It may be slow.
	Answer(ctx context.Context, r *Request) (result any, handled bool, err error)
	// Apply carries out a workspace/applyEdit.
	Apply(ctx context.Context, r *Request, p *ApplyEditParams) ApplyEditResult
	// Calling is called with each request of the editor before it is sent, and Wrote with each message after it was written.
	Calling(method string, params json.RawMessage)
	Wrote(message []byte)
	// Trace is called with the JSON of each message, before it is written and after it was read; dir is "send" or "receive".
	// The bytes are valid only during the call. Calls for different directions may be concurrent.
	Trace(dir string, message []byte)
}

// Document is the habits for the document of one buffer. The editor is locked while a method runs.
type Document interface {
	// Open returns the text of the buffer that the editor opens with s. s is the content of
	// the file if ofFile, and a text from another program otherwise.
	Open(s string, ofFile bool) string
	// Typed returns the edit that the editor makes when the user makes e in the text t.
	Typed(t text.Text, e edits.Edit) edits.Edit
	// File returns the content of a file that has the text s.
	File(s []byte) []byte
	// Place turns the text edits of c into batches that apply in order to t, the document's
	// text. closed says that the document is not open.
	Place(t text.Text, closed bool, c *DocumentChange) ([]edits.Edits, error)

	// NextVersion returns the version of the text after the change that is about to be made.
	NextVersion() int32
	// Opened, Changed, Saved and Closed notify the server, now or later. s is the new state
	// of the buffer; these methods may set its version.
	Opened(s *State)
	Changed(s *State, c Change)
	Saved(s *State)
	Closed()
	// BeforeSave makes the changes that the editor makes before it saves the buffer, and
	// sends the server the notifications that are pending.
	BeforeSave()
}

// Request is a request of the server that is being handled.
type Request struct {
	ID     jsonrpc2.ID
	Method string
	Params json.RawMessage
	Pass   func() // lets the next request have its turn; idempotent
	Own    any    // the habits' data about the request
}

// Change is a change of a buffer's text: Batches applied in order to Before. By is the applyEdit that made it, nil if the user
// or the editor itself did.
type Change struct {
	Before  text.Text
	Batches []edits.Edits
	By      *ApplyEditParams
}

// own is the habits of the embedded editor.
type own struct{ e *Editor }

func (h own) Document(b *Buffer) Document                         { return document{b} }
func (h own) Initialize(*protocol.InitializeParams)               {}
func (h own) Answer(context.Context, *Request) (any, bool, error) { return nil, false, nil }
func (h own) Calling(string, json.RawMessage)                     {}
func (h own) Wrote([]byte)                                        {}
func (h own) Trace(string, []byte)                                {}

// Apply plans everything first, so that no document changes if one of them cannot. Every
// didChange is written when it returns.
func (h own) Apply(_ context.Context, _ *Request, p *ApplyEditParams) ApplyEditResult {
	h.e.Lock()
	defer h.e.Unlock()
	if at, err := h.e.Perform(p); err != nil {
		return ApplyEditResult{FailureReason: err.Error(), FailedChange: at}
	}
	return ApplyEditResult{Applied: true}
}

// document is the embedded editor's habits for one document.
type document struct{ b *Buffer }

func (d document) Open(s string, _ bool) string               { return s }
func (d document) Typed(_ text.Text, e edits.Edit) edits.Edit { return e }
func (d document) File(s []byte) []byte                       { return s }

func (d document) Place(t text.Text, closed bool, c *DocumentChange) ([]edits.Edits, error) {
	if err := d.b.State().CheckVersion(c.TextDocument, closed); err != nil {
		return nil, err
	}
	es, err := Locate(t, c.Edits, d.b.e.encoding)
	if err != nil {
		return nil, err
	}
	joined, err := Join(es)
	if err != nil || len(joined) == 0 {
		return nil, err
	}
	return []edits.Edits{joined}, nil
}

func (d document) NextVersion() int32         { return d.b.Version() + 1 }
func (d document) Opened(s *State)            { d.b.e.TellOpen(d.b, s) }
func (d document) Changed(s *State, c Change) { d.b.e.TellChange(d.b, s, d.b.e.ContentChanges(c)) }
func (d document) Saved(s *State)             { d.b.e.TellSave(d.b, s) }
func (d document) Closed()                    { d.b.e.TellClose(d.b) }
func (d document) BeforeSave()                {}

// The methods below are for habits.

// Habits returns what [Habits.Document] returned for the buffer.
func (b *Buffer) Habits() Document { return b.habits }

// Removed records that a file which was deleted or renamed no longer exists on disk. The editor must be locked.
func (e *Editor) Removed(uri string) {
	if name, err := nameOfURI(uri); err == nil {
		delete(e.removals, name.key)
	}
}

// Wrote records that the buffer's file now holds content, whose text is saved. The editor must be locked.
func (b *Buffer) Wrote(content []byte, saved text.Text) {
	b.stamp, b.renamed, b.bom = disk.StampOf(content), nil, bytes.HasPrefix(content, []byte(text.BOM))
	b.set(func(s *State) { s.saved, s.onDisk = saved, true })
}
