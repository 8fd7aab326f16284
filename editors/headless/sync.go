package headless

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// The four sync notifications have types of our own: the protocol module's
// rewrite URIs, and a document must keep the spelling that it was opened with.
type (
	textDocumentItem struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	}
	documentID struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version,omitempty"`
	}
	contentChange struct {
		Range *Range `json:"range,omitempty"` // nil: Text is the whole document
		Text  string `json:"text"`
	}
	didOpenParams struct {
		TextDocument textDocumentItem `json:"textDocument"`
	}
	didChangeParams struct {
		TextDocument   documentID      `json:"textDocument"`
		ContentChanges []contentChange `json:"contentChanges"`
	}
	didCloseParams struct {
		TextDocument documentID `json:"textDocument"`
	}
	didSaveParams struct {
		TextDocument documentID `json:"textDocument"`
		Text         *string    `json:"text,omitempty"`
	}
)

// syncOptions is what the server wants to hear of documents.
type syncOptions struct {
	openClose   bool
	change      protocol.TextDocumentSyncKind
	save        bool
	includeText bool
}

func syncOptionsOf(s protocol.TextDocumentSync) syncOptions {
	switch s := s.(type) {
	case protocol.TextDocumentSyncKind:
		// The short form stands for all notifications, as in VS Code.
		on := s != protocol.TextDocumentSyncKindNone
		return syncOptions{openClose: on, change: s, save: on}
	case *protocol.TextDocumentSyncOptions:
		if s == nil {
			break
		}
		o := syncOptions{openClose: s.OpenClose != nil && *s.OpenClose}
		if s.Change != nil {
			o.change = *s.Change
		}
		switch save := s.Save.(type) {
		case protocol.Boolean:
			o.save = bool(save)
		case *protocol.SaveOptions:
			if save != nil {
				o.save = true
				o.includeText = save.IncludeText != nil && *save.IncludeText
			}
		}
		return o
	}
	return syncOptions{}
}

// Flush writes every pending didChange now, and the didOpen of every document
// that the server is still to be told of. The compliant editor has none.
func (e *Editor) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.opened {
		e.habits.flush(b)
	}
}

// tell writes a notification. The editor goes on when the server is gone; that
// is known from Done.
func (e *Editor) tell(method string, params any) {
	_ = e.Notify(context.Background(), method, params)
}

// tellOpen, tellChange, tellSave and tellClose need e.mu.

func (e *Editor) tellOpen(b *Buffer, s *state) {
	if e.sync.openClose {
		e.tell("textDocument/didOpen", didOpenParams{textDocumentItem{b.uri, b.languageID, s.version, s.text.String()}})
	}
}

func (e *Editor) tellChange(b *Buffer, s *state, changes []contentChange) {
	switch e.sync.change {
	case protocol.TextDocumentSyncKindNone:
		return
	case protocol.TextDocumentSyncKindFull:
		changes = []contentChange{{Text: s.text.String()}}
	}
	e.tell("textDocument/didChange", didChangeParams{documentID{b.uri, &s.version}, changes})
}

func (e *Editor) tellSave(b *Buffer, s *state) {
	if !e.sync.save {
		return
	}
	p := didSaveParams{TextDocument: documentID{URI: b.uri}}
	if e.sync.includeText {
		whole := s.text.String()
		p.Text = &whole
	}
	e.tell("textDocument/didSave", p)
}

func (e *Editor) tellClose(b *Buffer) {
	if e.sync.openClose {
		e.tell("textDocument/didClose", didCloseParams{documentID{URI: b.uri}})
	}
}

// contentChanges appends the changes that turn t into es.Apply(t), from the
// last to the first, so that each leaves the positions of those after it in the
// list alone.
func (e *Editor) contentChanges(list []contentChange, t text.Text, es edits.Edits) []contentChange {
	for _, edit := range slices.Backward(e.habits.told(t, es)) {
		r := Range{position(t, edit.Start, e.encoding), position(t, edit.End, e.encoding)}
		list = append(list, contentChange{&r, edit.New})
	}
	return list
}

func position(t text.Text, off int, enc text.Encoding) Position {
	p := t.Position(off, enc)
	return Position{uint32(p.Line), uint32(p.Character)}
}
