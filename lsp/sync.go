package lsp

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// The types below are decoded strictly. protocol's own types take a change with an unreadable
// range for a new text of the whole document, and rewrite URIs (decision: own-document-types).

// decode decodes a message of the editor. It accepts duplicate names and invalid UTF-8 as
// encoding/json does, which is the slower decoder.
func decode(raw []byte, v any) error {
	return json.Unmarshal(raw, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// content is the text of a whole document, which may have a hundred megabytes. The JSON library
// would decode it piece by piece into a buffer that grows, and copy that in the end.
type content string

func (c *content) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() != '"' {
		return errors.New("a text that is no string")
	}
	b, _ := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw) // the error is about invalid UTF-8
	*c = content(unsafe.String(unsafe.SliceData(b), len(b)))       //nolint:gosec // b is not used again
	return nil
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

type wirePosition struct {
	Line      *uint32 `json:"line"`
	Character *uint32 `json:"character"`
}

type contentChange struct {
	Range *struct {
		Start *wirePosition `json:"start"`
		End   *wirePosition `json:"end"`
	} `json:"range"`
	RangeLength *uint32 `json:"rangeLength"`
	Text        *string `json:"text"`
}

// change returns the change; an absent or null range is the whole document. The length of a range
// counts only if counted is set, that is, if the editor is known to count it right.
func (c *contentChange) change(counted bool) (workspace.Change, error) {
	if c.Text == nil {
		return workspace.Change{}, errors.New("a change without text")
	}
	if c.Range == nil {
		if c.RangeLength != nil {
			return workspace.Change{}, errors.New("a change with rangeLength and no range")
		}
		return workspace.Change{Whole: true, Text: *c.Text}, nil
	}
	start, end := c.Range.Start, c.Range.End
	if start == nil || end == nil || start.Line == nil || start.Character == nil || end.Line == nil || end.Character == nil {
		return workspace.Change{}, errors.New("a range that is not whole")
	}
	r := workspace.Range{
		Start: text.Position{Line: int(*start.Line), Character: int(*start.Character)},
		End:   text.Position{Line: int(*end.Line), Character: int(*end.Character)},
	}
	if r.End.Line < r.Start.Line || (r.End.Line == r.Start.Line && r.End.Character < r.Start.Character) {
		return workspace.Change{}, errors.New("a range that ends before it starts")
	}
	change := workspace.Change{Range: r, Text: *c.Text}
	if counted && c.RangeLength != nil {
		change.Length, change.Counted = int(*c.RangeLength), true
	}
	return change, nil
}

// mirror keeps the documents in step with the editor's messages. Its methods are called on the goroutine that reads.
type mirror struct {
	server *server
	active atomic.Int64 // when a document changed last, in Unix nanoseconds

	closed   workspace.Document // the document that was closed last, without its text
	closedAt time.Time
}

// modified has the parts of the server hear what has happened to a document or its file. The cause is the method by which
// the editor said so, "" if the system did, on any goroutine. doc is the next state of the document, the last one if it was
// closed, nil if its text was changed or its file written. The parts hear of it in this order:
//
//   - The documents, which the others read. They show each state to those that wait for one (Documents.Watch and Changed), so
//     no other part hears of a change, which Documents.Change has made.
//   - The watching of files. Files written before their folder is watched are looked at anew, and what is known of an earlier
//     text is forgotten before.
//   - The patches in documents, what agents know of a text, and the memory. They do not depend on each other.
func (m *mirror) modified(cause string, key paths.Key, doc *workspace.Document) {
	s := m.server
	switch cause {
	case protocol.MethodTextDocumentDidOpen:
		m.active.Store(time.Now().UnixNano())
		s.docs.Put(doc)
		s.disk.folders.Open(key, func() { s.disk.watcher.Look(key, true) })
		if doc.Text.Equal(doc.Disk) {
			s.disk.forget(key)
		}
		s.disk.watcher.Look(key, true)
		s.patchDocs.Open(doc)
	case protocol.MethodTextDocumentDidChange:
		m.active.Store(time.Now().UnixNano())
	case protocol.MethodTextDocumentDidSave:
		s.docs.Put(doc)
		s.disk.forget(key)
		s.disk.watcher.Look(key, false)
	case methodSynced:
		s.docs.Put(doc)
		s.disk.watcher.Look(key, false) // the file may have been written meanwhile
	case protocol.MethodTextDocumentDidClose:
		m.active.Store(time.Now().UnixNano())
		s.docs.Close(key)
		s.disk.folders.Close(key)
		s.disk.watcher.Forget(key) // merges still count if the document is opened again with all its unsaved text
		if _, isFile := key.FilePath(); !isFile || doc.Text.Len() >= largeDocument {
			s.forget(key) // not a file: the next document of that name is another; or too large to be kept
		}
		s.releaseMemory(doc.Text.Len())
	default:
		if s.docs.FileChanged(key) {
			s.disk.watcher.NoteWrite(key)
		}
		if cause != "" {
			s.patchDocs.Recheck() // a patch may be about a file that is not open
		}
	}
}

// reloadTime is how long an editor may take that reloads a file by closing and opening the document.
const reloadTime = 2 * time.Second

func (m *mirror) didOpen(params []byte) error {
	var p struct {
		TextDocument struct {
			URI      string   `json:"uri"`
			Language string   `json:"languageId"`
			Version  int32    `json:"version"`
			Text     *content `json:"text"`
		} `json:"textDocument"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	d := &p.TextDocument
	if d.Text == nil {
		return errors.New("didOpen without a text")
	}
	key, err := paths.KeyOf(d.URI)
	if err != nil {
		return err
	}
	t := text.New(string(*d.Text))
	ours, strange := m.server.docs.Ours(key, t)
	opened := paths.NewOpened(key, ours, strange)
	was := m.server.docs.Get(key) // an editor may open a document again that is open
	if was == nil && m.closed.Key == key && time.Since(m.closedAt) < reloadTime {
		was = &m.closed
	}
	if was != nil && !strange {
		m.reloaded(was)
		opened = was.Opened
	}
	m.modified(protocol.MethodTextDocumentDidOpen, key, &workspace.Document{Key: key, URI: d.URI, Language: d.Language, Opened: opened, Version: d.Version, Text: t, Disk: t})
	return nil
}

// reloaded records that the editor may have read the file of a document again, wherever the name leads now.
func (m *mirror) reloaded(doc *workspace.Document) {
	_, _ = m.server.disk.reach(doc, paths.Compare)
	doc.Opened.Reloaded()
}

// didChange brings the mirror up to date. A change that cannot be read leaves
// the document marked: what comes after it would land in the wrong text.
func (m *mirror) didChange(params []byte) error {
	var p struct {
		TextDocument   textDocument    `json:"textDocument"`
		ContentChanges []contentChange `json:"contentChanges"`
	}
	err := decode(params, &p)
	changes := make([]workspace.Change, len(p.ContentChanges))
	for i := 0; i < len(changes) && err == nil; i++ {
		changes[i], err = p.ContentChanges[i].change(m.server.Editor().Quirks.Lengths)
	}
	if err != nil {
		// The document may be known though its changes are not.
		if doc := m.openDocument(params); doc != nil {
			m.server.docs.Desync(doc.Key, "a change could not be read")
		}
		return err
	}
	key, err := paths.KeyOf(p.TextDocument.URI)
	if err != nil {
		return err
	}
	version := p.TextDocument.Version
	if version == nil {
		doc, err := m.open(p.TextDocument.URI)
		if err != nil {
			return err
		}
		version = &doc.Version
	}
	if doc := m.server.docs.Untyped(key); doc != nil && !doc.Opened.IsStill(key) {
		m.reloaded(doc)
	}
	if !m.server.docs.Change(key, *version, changes, m.server.Editor().Encoding) {
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	m.modified(protocol.MethodTextDocumentDidChange, key, nil)
	return nil
}

// lostMessage marks every document: a message that could not be read, or was too long, may have
// been a change of any of them.
func (m *mirror) lostMessage() {
	for _, doc := range m.server.docs.All() {
		m.server.docs.Desync(doc.Key, "a message of the editor could not be read")
	}
}

// didSave uses the text that comes with it as a checksum (hazard: silent-desync).
func (m *mirror) didSave(params []byte) error {
	var p struct {
		TextDocument textDocument `json:"textDocument"`
		Text         *string      `json:"text"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	doc, err := m.open(p.TextDocument.URI)
	if err != nil || doc.Drift != "" && p.Text == nil {
		return err
	}
	saved := doc.Text
	if p.Text != nil {
		saved = text.New(*p.Text)
	}
	// A whole text makes a drifted document known again. From Neovim that does not help if the text
	// differs: Neovim goes on to report changes of the text that it reported before.
	if same := workspace.SameSaved(doc.Text, saved); doc.Drift != "" && (same || !m.server.Editor().Quirks.Previews) {
		if same {
			saved = doc.Text
		}
		doc = doc.WithText(nil, saved)
	}
	if !workspace.SameSaved(doc.Text, saved) {
		m.server.docs.Desync(doc.Key, "what was saved is another text")
		return fmt.Errorf("%s: what was saved is another text than the mirror's", doc.URI)
	}
	doc.Opened.Saved(doc.Key)
	m.modified(protocol.MethodTextDocumentDidSave, doc.Key, doc.Saved(saved))
	return nil
}

func (m *mirror) didClose(params []byte) error {
	doc := m.openDocument(params)
	if doc == nil {
		return errors.New("didClose of a document that is not open")
	}
	m.closed, m.closedAt = workspace.Document{Key: doc.Key, Opened: doc.Opened}, time.Now()
	m.modified(protocol.MethodTextDocumentDidClose, doc.Key, doc)
	return nil
}

// openDocument returns the open document that params name, nil if there is none.
func (m *mirror) openDocument(params []byte) *workspace.Document {
	var p struct {
		TextDocument textDocument `json:"textDocument"`
	}
	if err := decode(params, &p); err != nil {
		return nil
	}
	doc, _ := m.open(p.TextDocument.URI)
	return doc
}

func (m *mirror) open(rawURI string) (*workspace.Document, error) {
	key, err := paths.KeyOf(rawURI)
	if err != nil {
		return nil, err
	}
	doc := m.server.docs.Get(key)
	if doc == nil {
		return nil, fmt.Errorf("%s is not open", rawURI)
	}
	return doc, nil
}

// Another program may write a file that the editor has open with unsaved changes (hazard: disk-changed, lsp/watch).

// watchFiles asks the client to report files that change on disk.
func (s *server) watchFiles(ctx context.Context) {
	params := jsonrpc2.RawMessage(`{"registrations":[{"id":"patchls-files","method":"workspace/didChangeWatchedFiles",` +
		`"registerOptions":{"watchers":[{"globPattern":"**/*"}]}}]}`)
	if _, err := s.conn.Call(ctx, protocol.MethodClientRegisterCapability, params, nil); err != nil {
		s.Log.Debug("files are not watched", "error", err)
	}
}

// didChangeWatchedFiles is about files that were written or deleted, by whichever program.
func (m *mirror) didChangeWatchedFiles(params []byte) error {
	var p struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	for _, c := range p.Changes {
		if key, err := paths.KeyOf(c.URI); err == nil {
			m.modified(protocol.MethodWorkspaceDidChangeWatchedFiles, key, nil)
		}
	}
	return nil
}
