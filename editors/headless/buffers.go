package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

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
	e.habits.input(b)
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
	first.text = text.New(b.form.open(s, false))
	b.now.Store(&first)
	e.enter(b)
	e.habits.input(b)
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
	b.form = e.habits.newForm(b)
	b.now.Store(&state{version: e.habits.firstVersion(), text: text.New(b.form.open("", false))})
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
	t := text.New(b.form.open(f.Text, true))
	b.now.Store(&state{version: e.habits.firstVersion(), text: t, saved: t, onDisk: true})
	return b, nil
}

// enter makes b one of the editor's buffers and tells the server. It needs e.mu.
func (e *Editor) enter(b *Buffer) {
	if r, ok := e.removals[b.key]; ok { // it is replaced, not removed
		b.stamp = r.stamp
		delete(e.removals, b.key)
	}
	s := *b.now.Load()
	e.habits.opened(b, &s)
	b.now.Store(&s)
	e.buffers[b.key] = b
	e.opened = append(e.opened, b)
}

// leave takes b out of the editor's buffers and tells the server. It needs e.mu.
func (e *Editor) leave(b *Buffer) {
	if e.buffers[b.key] != b {
		return
	}
	e.habits.closed(b)
	delete(e.buffers, b.key)
	e.opened = slices.DeleteFunc(e.opened, func(o *Buffer) bool { return o == b })
	s := *b.now.Load()
	s.closed = true
	b.now.Store(&s)
}
