package headless

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// Editor is one running editor with one language server. All methods are safe for concurrent use. After the connection ends,
// the buffers stay and can still be edited and saved.
type Editor struct {
	connection
	disk disk.Disk
	last chan struct{} // closed when the last ordered request is done; nil at first; of the goroutine that reads

	// The rest is guarded by the lock.
	buffers  map[string]*Buffer     // by key
	order    []*Buffer              // in the order of opening
	removals map[string]removal     // by key
	removed  map[string]fs.FileInfo // by key: the files that saved removals deleted
	applying *ApplyEditParams       // of the edit that is being applied, nil if none is
}

// Start connects to the server at the other end of rwc and performs the handshake. ctx bounds the handshake only. The editor
// takes ownership of rwc, whose Close must end a Read and a Write that are in flight, as those of pipes and sockets do. The
// caller must Close or Kill the editor.
func Start(ctx context.Context, rwc io.ReadWriteCloser, opts Options) (*Editor, error) {
	if opts.Disk.Root != "" { // it stays what it is now, wherever its name is made to lead
		real, err := filepath.EvalSymlinks(opts.Disk.Root)
		if err != nil {
			return nil, err
		}
		opts.Disk.Root = real
	}
	opts.CloseTimeout = cmp.Or(opts.CloseTimeout, 2*time.Second)
	e := &Editor{
		connection: connection{opts: opts, ready: make(chan struct{})},
		disk:       opts.Disk,
		buffers:    map[string]*Buffer{},
		removals:   map[string]removal{},
		removed:    map[string]fs.FileInfo{},
	}
	e.habits = own{e}
	if opts.Habits != nil {
		e.habits = opts.Habits(e, own{e})
	}
	e.disk.Recover()
	if err := e.connect(ctx, rwc, e.handle); err != nil {
		return nil, err
	}
	return e, nil
}

// Options configure an [Editor]. The zero value is a compliant editor without a workspace folder.
type Options struct {
	// Roots are the workspace folders, absolute paths. A relative path given to the editor is relative to the first one.
	Roots []string

	// Disk is where the editor reads and saves files. Its AllowSave is also asked for each file of the editor's own saves.
	// Its functions are called while the editor is locked, so they must not call it.
	Disk disk.Disk

	// Habits, if set, returns the habits of another editor, for tests, given the editor's own. It is called before
	// anything is sent; the editor's methods must not be called until Start returns.
	Habits func(e *Editor, own Habits) Habits

	// CloseTimeout bounds each of the two waits of Close: for the server's
	// answer to shutdown, and for the connection's goroutines. Zero means 2 s.
	CloseTimeout time.Duration
}

// Errors that a caller may want to distinguish, with errors.Is.
var (
	// ErrServerGone: the connection to the server has ended.
	ErrServerGone = errors.New("the language server is gone")
	// ErrBufferClosed: the buffer was closed.
	ErrBufferClosed = errors.New("the buffer is closed")
	// ErrNoFile: the buffer has no place on disk (its URI is not a file's).
	ErrNoFile = errors.New("the buffer belongs to no file")
	// ErrSymlink: the file that was renamed is a symbolic link, which the editor cannot move.
	ErrSymlink = errors.New("it is a symbolic link, which can be edited and deleted but not moved")
	// ErrBadRange: an offset is outside of the text, or inside a code point.
	ErrBadRange = errors.New("no such place in the text")
)

// SaveError reports which of several documents could not be saved. None of them was saved,
// except that some may be if it wraps a *[disk.HalfSavedError], and all are if it wraps [disk.ErrNotDurable].
type SaveError struct {
	URI string
	Err error
}

func (e *SaveError) Error() string { return e.Err.Error() }
func (e *SaveError) Unwrap() error { return e.Err }

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
	// Apply carries out a workspace/applyEdit, and returns the response.
	Apply(ctx context.Context, r *Request, p *ApplyEditParams) (any, error)
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

// Apply plans everything first, so that no document changes if one of them cannot. Every
// didChange is written when it returns.
func (h own) Apply(_ context.Context, _ *Request, p *ApplyEditParams) (any, error) {
	h.e.Lock()
	defer h.e.Unlock()
	if at, err := h.e.Perform(p); err != nil {
		return ApplyEditResult{FailureReason: err.Error(), FailedChange: at}, nil
	}
	return ApplyEditResult{Applied: true}, nil
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
