package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchdoc"
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

type didOpenParams struct {
	TextDocument struct {
		URI      string   `json:"uri"`
		Language string   `json:"languageId"`
		Version  int32    `json:"version"`
		Text     *content `json:"text"`
	} `json:"textDocument"`
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

type didChangeParams struct {
	TextDocument   textDocument    `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
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

// mirror keeps the documents in step with the editor's messages. Its methods are called on the
// goroutine that reads.
type mirror struct {
	docs          *workspace.Documents
	editor        func() *editor.Editor
	patches       *patchdoc.Checker
	disk          *disk
	releaseMemory func(size int)      // of a text that is not used any more
	forget        func(key paths.Key) // drops what agents' sessions remember of a document
	log           *slog.Logger
	active        atomic.Int64 // when a document changed last, in Unix nanoseconds

	closed   workspace.Document // the document that was closed last, without its text
	closedAt time.Time
}

// reloadTime is how long an editor may take that reloads a file by closing and opening the document.
const reloadTime = 2 * time.Second

func (m *mirror) didOpen(params []byte) error {
	m.active.Store(time.Now().UnixNano())
	var p didOpenParams
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
	ours, strange := m.docs.Ours(key, t)
	opened := paths.NewOpened(key, ours, strange)
	was := m.docs.Get(key) // an editor may open a document again that is open
	if was == nil && m.closed.Key == key && time.Since(m.closedAt) < reloadTime {
		was = &m.closed
	}
	if was != nil && !strange {
		m.reloaded(was)
		opened = was.Opened
	}
	m.docs.Put(&workspace.Document{Key: key, URI: d.URI, Opened: opened, Version: d.Version, Text: t, Disk: t})
	m.disk.folders.Open(key, func() { m.disk.watcher.Look(key, true) }) // again: the file may be written before it is watched
	if doc := m.docs.Get(key); doc.Text.Equal(doc.Disk) {
		m.disk.forget(key)
	}
	m.disk.watcher.Look(key, true)
	m.patches.Open(key, d.URI, d.Language)
	return nil
}

// reloaded records that the editor may have read the file of a document again, wherever the name leads now.
func (m *mirror) reloaded(doc *workspace.Document) {
	_, _ = m.disk.reach(doc, paths.Compare)
	doc.Opened.Reloaded()
}

// didChange brings the mirror up to date. A change that cannot be read leaves
// the document marked: what comes after it would land in the wrong text.
func (m *mirror) didChange(params []byte) error {
	m.active.Store(time.Now().UnixNano())
	var p didChangeParams
	err := decode(params, &p)
	changes := make([]workspace.Change, len(p.ContentChanges))
	for i := range p.ContentChanges {
		if err == nil {
			changes[i], err = p.ContentChanges[i].change(m.editor().Quirks.Lengths)
		}
	}
	if err != nil {
		// The document may be known though its changes are not.
		if doc := m.openDocument(params); doc != nil {
			m.docs.Desync(doc.Key, "a change could not be read")
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
	if doc := m.docs.Untyped(key); doc != nil && !doc.Opened.IsStill(key) {
		m.reloaded(doc)
	}
	if !m.docs.Change(key, *version, changes, m.editor().Encoding) {
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	return nil
}

// lostMessage marks every document: a message that could not be read, or was too long, may have
// been a change of any of them.
func (m *mirror) lostMessage() {
	for _, doc := range m.docs.All() {
		m.docs.Desync(doc.Key, "a message of the editor could not be read")
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
	if same := workspace.SameSaved(doc.Text, saved); doc.Drift != "" && (same || !m.editor().Quirks.Previews) {
		if same {
			saved = doc.Text
		}
		doc = doc.WithText(nil, saved)
	}
	if !workspace.SameSaved(doc.Text, saved) {
		m.docs.Desync(doc.Key, "what was saved is another text")
		return fmt.Errorf("%s: what was saved is another text than the mirror's", doc.URI)
	}
	doc.Opened.Saved(doc.Key)
	m.docs.Put(doc.Saved(saved))
	m.disk.forget(doc.Key)
	m.disk.watcher.Look(doc.Key, false)
	m.patches.Recheck()
	return nil
}

func (m *mirror) didClose(params []byte) error {
	m.active.Store(time.Now().UnixNano())
	doc := m.openDocument(params)
	if doc == nil {
		return errors.New("didClose of a document that is not open")
	}
	size := doc.Text.Len()
	m.closed, m.closedAt = workspace.Document{Key: doc.Key, Opened: doc.Opened}, time.Now()
	m.docs.Close(doc.Key)
	m.disk.folders.Close(doc.Key)
	m.disk.watcher.Forget(doc.Key) // merges still count if the document is opened again with all its unsaved text
	m.releaseMemory(size)
	m.patches.Close(doc.Key)
	if _, isFile := doc.Key.FilePath(); !isFile || size >= largeDocument {
		m.forget(doc.Key) // not a file: the next document of that name is another; or too large to be kept
	}
	return nil
}

// openDocument returns the open document that params name, nil if there is none.
func (m *mirror) openDocument(params []byte) *workspace.Document {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
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
	doc := m.docs.Get(key)
	if doc == nil {
		return nil, fmt.Errorf("%s is not open", rawURI)
	}
	return doc, nil
}

// Another program may write a file that the editor has open with unsaved changes (hazard:
// disk-changed, lsp/watch).

// watchFiles asks the client to report files that change on disk.
func (s *server) watchFiles(ctx context.Context) {
	params := jsonrpc2.RawMessage(`{"registrations":[{"id":"patchls-files","method":"workspace/didChangeWatchedFiles",` +
		`"registerOptions":{"watchers":[{"globPattern":"**/*"}]}}]}`)
	if _, err := s.conn.Call(ctx, protocol.MethodClientRegisterCapability, params, nil); err != nil {
		s.log.Debug("files are not watched", "error", err)
	}
}

// didChangeWatchedFiles records which files were written or deleted while the editor has them open.
func (m *mirror) didChangeWatchedFiles(params []byte) error {
	var p struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	m.patches.Recheck()
	for _, c := range p.Changes {
		if key, err := paths.KeyOf(c.URI); err == nil {
			m.disk.noteWrite(key)
		}
	}
	return nil
}
