package headless

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// Buffer is the text of one document, as the user at the editor would see it: without the byte order mark of its file, with
// the line ends of its file. All methods are safe for concurrent use. Offsets are bytes of the text.
type Buffer struct {
	docName
	now        atomic.Pointer[State] // stored under the editor's lock, loaded without it
	e          *Editor
	languageID string

	// The rest is guarded by the editor's lock.
	undo, redo []step
	stamp      disk.Stamp // of the file when it was last read or written
	bom        bool       // the file begins with a byte order mark
	renamed    []string   // keys of the files to remove when this one is saved
	habits     Document
}

// State is an immutable snapshot of a buffer.
type State struct {
	Text    text.Text
	Version int32

	cursor int
	saved  text.Text // what disk holds, as far as the editor knows
	onDisk bool      // the file exists, or the document has no file
	closed bool
}

func (s State) dirty() bool { return !s.onDisk || !s.Text.Equal(s.saved) }

// CheckVersion returns an error unless the version in id is what LSP requires: the number of an open document, or null for
// the text on disk. closed says that the buffer is not open for the server.
func (s State) CheckVersion(id DocumentID, closed bool) error {
	switch {
	case id.Version == nil && (closed || !s.dirty()):
		return nil
	case id.Version == nil:
		return fmt.Errorf("version null means the text on disk, but the buffer (version %d) has unsaved changes", s.Version)
	case closed:
		return fmt.Errorf("it is not open, so it has no version %d", *id.Version)
	case *id.Version != s.Version:
		return fmt.Errorf("it has changed: the edit is for version %d, the buffer has %d", *id.Version, s.Version)
	}
	return nil
}

// State returns the buffer's state, and SetState replaces it. The editor must be locked.
func (b *Buffer) State() State { return *b.now.Load() }

// SetState is described at [Buffer.State].
func (b *Buffer) SetState(s State) { b.now.Store(&s) }

// set changes the state. It needs the editor's lock.
func (b *Buffer) set(change func(s *State)) {
	s := b.State()
	change(&s)
	b.now.Store(&s)
}

// Text returns the text. A change is in it once its didChange is written; with other [Habits] that may come later.
func (b *Buffer) Text() string { return b.now.Load().Text.String() }

// Version returns the version of the text: 1 when opened, one more with every didChange. Other [Habits] count in other ways.
func (b *Buffer) Version() int32 { return b.now.Load().Version }

// Dirty reports whether the text differs from what was last read from or
// written to disk. A file that does not exist yet is dirty, even when empty.
func (b *Buffer) Dirty() bool { return b.now.Load().dirty() }

// Closed reports whether the buffer was closed.
func (b *Buffer) Closed() bool { return b.now.Load().closed }

// Cursor returns the offset at which Type inserts. It is 0 at first and stays with its text when the text around it changes.
func (b *Buffer) Cursor() int { return b.now.Load().cursor }

// SetCursor moves the cursor. The error wraps [ErrBadRange].
func (b *Buffer) SetCursor(off int) error {
	b.e.Lock()
	defer b.e.Unlock()
	err := checkOffset(b.State().Text, off)
	if err == nil {
		b.set(func(s *State) { s.cursor = off })
	}
	return err
}

// Open returns the buffer of the file at path. If the file is not open yet, Open reads it from disk and notifies the server.
// A file has one buffer, whichever of its names is used. The error wraps fs.ErrNotExist, [disk.ErrNotUTF8] or
// [disk.ErrNotRegular].
func (e *Editor) Open(path string) (*Buffer, error) {
	name, err := e.nameOf(path)
	if err != nil {
		return nil, err
	}
	e.Lock()
	defer e.Unlock()
	if b := e.buffers[name.key]; b != nil {
		return b, nil
	}
	b, err := e.load(name)
	if err == nil {
		e.enter(b)
	}
	return b, err
}

// OpenText opens a buffer with the text s: an untitled document, a document of another scheme, or a file whose text on disk
// differs. address is the URI of the document. The error wraps [disk.ErrNotUTF8] if s is not UTF-8.
func (e *Editor) OpenText(address, languageID, s string) (*Buffer, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%s: %w", address, disk.ErrNotUTF8)
	}
	named, err := nameOfURI(address)
	if err != nil {
		return nil, err
	}
	e.Lock()
	defer e.Unlock()
	if e.buffers[named.key] != nil {
		return nil, fmt.Errorf("%s: the document is open already", address)
	}
	b := e.newBuffer(named)
	if named.path != "" {
		switch on, err := e.load(named); {
		case err == nil:
			b = on
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	b.languageID = languageID
	b.set(func(first *State) { first.Text = text.New(b.habits.Open(s, false)) })
	e.enter(b)
	return b, nil
}

// Buffers returns the open buffers in the order of their opening.
func (e *Editor) Buffers() []*Buffer {
	e.Lock()
	defer e.Unlock()
	return slices.Clone(e.order)
}

// Close notifies the server and drops the text, saved or not. The buffer cannot
// be changed any more; its file can be opened again as another buffer.
func (b *Buffer) Close() {
	b.e.Lock()
	defer b.e.Unlock()
	b.e.leave(b)
	for _, key := range b.renamed { // as if the rename had not happened
		delete(b.e.removals, key)
	}
}

// Discard closes all buffers and forgets the deletions that were not saved.
func (e *Editor) Discard() {
	for _, b := range e.Buffers() {
		b.Close()
	}
	e.Lock()
	defer e.Unlock()
	clear(e.removals)
}

// newBuffer returns an empty buffer that the server does not know of yet. It needs the editor's lock.
func (e *Editor) newBuffer(name docName) *Buffer {
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(name.path)), ".") // it serves as the language ID
	b := &Buffer{e: e, docName: name, languageID: cmp.Or(extension, "plaintext")}
	b.habits = e.habits.Document(b)
	b.SetState(State{Version: 1, Text: text.New(b.habits.Open("", false)), onDisk: name.path == ""})
	return b
}

// load is like newBuffer, but reads the text from disk. It needs the editor's lock.
func (e *Editor) load(name docName) (*Buffer, error) {
	if _, gone := e.removals[name.key]; gone {
		return nil, notThere(name.path)
	}
	f, err := e.disk.Read(name.path)
	if err != nil {
		return nil, err
	}
	b := e.newBuffer(name)
	b.stamp, b.bom = f.Stamp, f.BOM
	t := text.New(b.habits.Open(f.Text, true))
	b.SetState(State{Version: 1, Text: t, saved: t, onDisk: true})
	return b, nil
}

// enter makes b one of the editor's buffers and notifies the server. It needs the editor's lock.
func (e *Editor) enter(b *Buffer) {
	if r, ok := e.removals[b.key]; ok && !disk.SameButForCase(r.path, b.path) { // b replaces the removed file
		b.stamp = r.stamp
		delete(e.removals, b.key)
	}
	b.set(b.habits.Opened)
	e.buffers[b.key] = b
	e.order = append(e.order, b)
}

// leave removes b from the editor's buffers and notifies the server. It needs the editor's lock.
func (e *Editor) leave(b *Buffer) {
	if e.buffers[b.key] != b {
		return
	}
	b.habits.Closed()
	delete(e.buffers, b.key)
	e.order = slices.DeleteFunc(e.order, func(o *Buffer) bool { return o == b })
	b.set(func(s *State) { s.closed = true })
}

// docName identifies a document.
type docName struct {
	uri  string // as first spelled
	path string // empty if the URI is not a file's
	key  string // the same for all spellings
}

// URI returns the document's URI, spelled as it was first opened.
func (d *docName) URI() string { return d.uri }

// Path returns the path of the document's file, or "" if its URI is no file's.
func (d *docName) Path() string { return d.path }

// nameOf returns the name of the file at path. A relative path is relative to the first workspace folder.
func (e *Editor) nameOf(path string) (docName, error) {
	if !filepath.IsAbs(path) && len(e.opts.Roots) > 0 {
		path = filepath.Join(e.opts.Roots[0], path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return docName{}, err
	}
	u, err := uriOf(path)
	return docName{u, path, keyOfPath(path)}, err
}

// nameOfURI returns the name of the document that raw names. URIs that spell one document differently have one key.
func nameOfURI(raw string) (docName, error) {
	if path, ok := pathOf(raw); ok {
		return docName{raw, path, keyOfPath(path)}, nil
	}
	u, err := uri.Parse(raw)
	if err != nil {
		return docName{}, fmt.Errorf("bad URI %q: %w", raw, err)
	}
	if u.IsFile() {
		return docName{}, fmt.Errorf("the URI %q names no file on this machine", raw)
	}
	return docName{uri: raw, key: string(u)}, nil
}

// uriOf returns the file URI of an absolute path, and an error for the few paths that have none: those that are not UTF-8,
// and on POSIX those that look like a drive, whose case a URI does not keep.
func uriOf(path string) (string, error) {
	u := uri.File(path)
	if back, ok := pathOf(string(u)); !ok || back != path && (runtime.GOOS != "windows" || !strings.EqualFold(back, filepath.Clean(path))) {
		return "", fmt.Errorf("the path %q has no file URI", path)
	}
	return string(u), nil
}

// pathOf returns the cleaned path that a file URI names. The result is false for other
// schemes, for URIs that cannot be parsed, and on POSIX for files of another host.
func pathOf(raw string) (string, bool) {
	u, err := uri.Parse(raw)
	if err != nil || !u.IsFile() {
		return "", false
	}
	if runtime.GOOS == "windows" {
		return filepath.Clean(u.FsPath()), true
	}
	// FsPath would take "/c:/x" for a drive.
	if a := u.Authority(); a != "" && a != "localhost" {
		return "", false
	}
	return filepath.Clean(u.Path()), true
}

// keyOfPath returns the map key of the document at path. Paths of one file that differ by symlinks, or in case where the
// disk ignores case, have one key, so that a file is never in two buffers that overwrite each other. The key of a path that
// does not exist yet is derived from its nearest existing folder.
func keyOfPath(path string) string {
	real, folder := realPath(path)
	if folder != "" && disk.IgnoresCase(folder) {
		real = strings.ToLower(real)
	}
	return "file:" + real
}

// realPath returns path with its symlinks followed as far as it exists, and the part of it that exists, "" if none does.
func realPath(path string) (real, there string) {
	if target, err := (disk.Disk{}).Follow(path); err == nil {
		path = target
	}
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), real
		}
		if dir == filepath.Dir(dir) {
			return path, ""
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
