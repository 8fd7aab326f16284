package headless

import (
	"sync/atomic"

	"github.com/patchls/patchls/editors/headless/internal/disk"
	"github.com/patchls/patchls/edits/text"
)

// Buffer is the text of one document, as the person at the editor would see
// it: without the byte order mark of its file, with the line ends of its file.
// All methods are safe for concurrent use. Offsets are bytes of the text.
type Buffer struct {
	e          *Editor
	uri        string // as first spelled
	path       string // empty if the URI is not a file's
	key        string
	languageID string

	now atomic.Pointer[state] // replaced under e.mu

	// The rest is guarded by e.mu.
	undo, redo []step
	stamp      disk.Stamp // what disk held when it was read or written last
	bom        bool       // the file begins with a byte order mark
	renamed    []string   // keys of the files that go when this one is saved
	form       form
}

// state is an immutable moment of a buffer.
type state struct {
	text    text.Text
	version int32
	cursor  int
	saved   text.Text // what disk holds, as far as the editor knows
	onDisk  bool
	closed  bool
	pending bool // the server is still to be told of it
}

// URI returns the document's URI, spelled as it was first opened.
func (b *Buffer) URI() string { return b.uri }

// Path returns the path of the document's file, or "" if its URI is no file's.
func (b *Buffer) Path() string { return b.path }

// LanguageID returns the language identifier that didOpen gave.
func (b *Buffer) LanguageID() string { return b.languageID }

// Text returns the text. A change is in it once its didChange is written, or
// waits to be: see [Buffer.Pending].
func (b *Buffer) Text() string { return b.now.Load().text.String() }

// Version returns the version of the text: 1 when opened, one more with every
// didChange. Personas count in other ways: see [Sync].
func (b *Buffer) Version() int32 { return b.now.Load().version }

// Dirty reports whether the text differs from what was last read from or
// written to disk. A file that does not exist yet is dirty, even when empty.
func (b *Buffer) Dirty() bool { return b.now.Load().dirty(b.path) }

func (s *state) dirty(path string) bool {
	return path != "" && !s.onDisk || !s.text.Equal(s.saved)
}

// Pending reports whether the text has changes that the server was not told of
// and will be. It is never true of the compliant editor.
func (b *Buffer) Pending() bool { return b.now.Load().pending }

// Closed reports whether the buffer was closed.
func (b *Buffer) Closed() bool { return b.now.Load().closed }

// Cursor returns the offset at which Type inserts. It is 0 at first and stays
// with its text when the text around it changes.
func (b *Buffer) Cursor() int { return b.now.Load().cursor }

// SetCursor moves the cursor. The error wraps [ErrBadRange].
func (b *Buffer) SetCursor(off int) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	s := *b.now.Load()
	if err := checkOffset(s.text, off); err != nil {
		return err
	}
	s.cursor = off
	b.now.Store(&s)
	return nil
}

// UndoLabel returns the label of the step that Undo would take back: the
// server's for an applied edit, "" for typing and when there is none.
func (b *Buffer) UndoLabel() string {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if len(b.undo) == 0 {
		return ""
	}
	return b.undo[len(b.undo)-1].label
}
