package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/patchls/patchls/editors/headless/internal/disk"
	"github.com/patchls/patchls/edits/text"
)

// Buffer is the text of one document, as the user at the editor would see
// it: without the byte order mark of its file, with the line ends of its file.
// All methods are safe for concurrent use. Offsets are bytes of the text.
type Buffer struct {
	e          *Editor
	uri        string // as first spelled
	path       string // empty if the URI is not a file's
	key        string
	languageID string

	now atomic.Pointer[State] // replaced under e.mu

	// The rest is guarded by e.mu.
	undo, redo []step
	stamp      disk.Stamp // what disk held when it was read or written last
	bom        bool       // the file begins with a byte order mark
	renamed    []string   // keys of the files that go when this one is saved
	habits     Document
}

// State is an immutable moment of a buffer.
type State struct {
	Text    text.Text
	Version int32
	Pending bool // the server is still to be told of it

	cursor int
	saved  text.Text // what disk holds, as far as the editor knows
	onDisk bool
	closed bool
}

// URI returns the document's URI, spelled as it was first opened.
func (b *Buffer) URI() string { return b.uri }

// Path returns the path of the document's file, or "" if its URI is no file's.
func (b *Buffer) Path() string { return b.path }

// LanguageID returns the language identifier that didOpen gave.
func (b *Buffer) LanguageID() string { return b.languageID }

// Text returns the text. A change is in it once its didChange is written, or
// waits to be: see [Buffer.Pending].
func (b *Buffer) Text() string { return b.now.Load().Text.String() }

// Version returns the version of the text: 1 when opened, one more with every
// didChange. Other [Habits] count in other ways.
func (b *Buffer) Version() int32 { return b.now.Load().Version }

// Dirty reports whether the text differs from what was last read from or
// written to disk. A file that does not exist yet is dirty, even when empty.
func (b *Buffer) Dirty() bool { return b.now.Load().dirty(b.path) }

func (s *State) dirty(path string) bool {
	return path != "" && !s.onDisk || !s.Text.Equal(s.saved)
}

// Pending reports whether the text has changes that the server was not told of
// and will be. It is never true of the editor's own habits.
func (b *Buffer) Pending() bool { return b.now.Load().Pending }

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
	if err := checkOffset(s.Text, off); err != nil {
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

// Open returns the buffer of the file at path, reading it from disk and telling
// the server if it is not open yet. A file has one buffer, whichever of its
// names is used. The error wraps fs.ErrNotExist, [ErrNotUTF8] or
// [ErrNotRegular].
func (e *Editor) Open(path string) (*Buffer, error) {
	path, err := e.absolute(path)
	if err != nil {
		return nil, err
	}
	u, err := uriOf(path)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key := keyOfPath(path)
	if b := e.buffers[key]; b != nil {
		return b, nil
	}
	b, err := e.load(key, u, path)
	if err != nil {
		return nil, err
	}
	e.enter(b)
	return b, nil
}

// OpenText opens a buffer with a text that comes from nowhere: an untitled
// document, one of another scheme, or a file whose text is not, or not yet,
// that of the disk. The error wraps [ErrAlreadyOpen] or [ErrNotUTF8].
func (e *Editor) OpenText(uri, languageID, s string) (*Buffer, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%s: %w", uri, ErrNotUTF8)
	}
	key, path, err := keyOfURI(uri)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.buffers[key] != nil {
		return nil, fmt.Errorf("%s: %w", uri, ErrAlreadyOpen)
	}
	b := e.newBuffer(key, uri, path)
	if path != "" {
		switch on, err := e.load(key, uri, path); {
		case err == nil:
			b = on
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	b.languageID = languageID
	first := *b.now.Load()
	first.Text = text.New(b.habits.Open(s, false))
	b.now.Store(&first)
	e.enter(b)
	return b, nil
}

// Buffer returns the open buffer of a path or a URI, however it is spelled.
func (e *Editor) Buffer(pathOrURI string) (*Buffer, bool) {
	key, err := e.key(pathOrURI)
	if err != nil {
		return nil, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[key]
	return b, b != nil
}

// Buffers returns the open buffers in the order of their opening.
func (e *Editor) Buffers() []*Buffer {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.opened)
}

// Close tells the server and forgets the text, saved or not. The buffer cannot
// be changed any more; its file can be opened again as another buffer.
func (b *Buffer) Close() {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	b.e.leave(b)
	for _, key := range b.renamed { // as if the rename had never been
		delete(b.e.removals, key)
	}
}

// Discard closes all buffers, and forgets what was deleted and not saved.
func (e *Editor) Discard() {
	for _, b := range e.Buffers() {
		b.Close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.removals)
}

func (e *Editor) key(pathOrURI string) (string, error) {
	if isURI(pathOrURI) {
		key, _, err := keyOfURI(pathOrURI)
		return key, err
	}
	path, err := e.absolute(pathOrURI)
	if err != nil {
		return "", err
	}
	return keyOfPath(path), nil
}

// newBuffer returns an empty buffer that the server does not know of yet. It needs
// e.mu.
func (e *Editor) newBuffer(key, uri, path string) *Buffer {
	b := &Buffer{e: e, uri: uri, path: path, key: key, languageID: "plaintext"}
	if path != "" {
		b.languageID = languageOf(path)
	}
	b.habits = e.habits.Document(b)
	b.now.Store(&State{Version: 1, Text: text.New(b.habits.Open("", false))})
	return b
}

// load is newBuffer with the text that disk holds. It needs e.mu.
func (e *Editor) load(key, uri, path string) (*Buffer, error) {
	if _, gone := e.removals[key]; gone {
		return nil, notThere(path)
	}
	f, err := e.disk.Read(path)
	if err != nil {
		return nil, err
	}
	b := e.newBuffer(key, uri, path)
	b.stamp, b.bom = f.Stamp, f.BOM
	t := text.New(b.habits.Open(f.Text, true))
	b.now.Store(&State{Version: 1, Text: t, saved: t, onDisk: true})
	return b, nil
}

// enter makes b one of the editor's buffers and tells the server. It needs e.mu.
func (e *Editor) enter(b *Buffer) {
	if r, ok := e.removals[b.key]; ok { // it is replaced, not removed
		b.stamp = r.stamp
		delete(e.removals, b.key)
	}
	s := *b.now.Load()
	b.habits.Opened(&s)
	b.now.Store(&s)
	e.buffers[b.key] = b
	e.opened = append(e.opened, b)
}

// leave takes b out of the editor's buffers and tells the server. It needs e.mu.
func (e *Editor) leave(b *Buffer) {
	if e.buffers[b.key] != b {
		return
	}
	b.habits.Closed()
	delete(e.buffers, b.key)
	e.opened = slices.DeleteFunc(e.opened, func(o *Buffer) bool { return o == b })
	s := *b.now.Load()
	s.closed = true
	b.now.Store(&s)
}
