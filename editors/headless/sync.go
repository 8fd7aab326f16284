package headless

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

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
	// ContentChange is LSP's TextDocumentContentChangeEvent.
	ContentChange struct {
		Range *Range `json:"range,omitempty"` // nil: Text is the whole document
		Text  string `json:"text"`
	}
	didOpenParams struct {
		TextDocument textDocumentItem `json:"textDocument"`
	}
	didChangeParams struct {
		TextDocument   documentID      `json:"textDocument"`
		ContentChanges []ContentChange `json:"contentChanges"`
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
// that the server is still to be told of. The editor's own habits leave none.
func (e *Editor) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.opened {
		b.habits.Flush()
	}
}

// tell writes a notification. The editor goes on when the server is gone; that
// is known from Done.
func (e *Editor) tell(method string, params any) {
	_ = e.Notify(context.Background(), method, params)
}

// TellOpen tells the server now that b is open with the text of s, if it wants to know.
// The editor must be locked, as for the three below.
func (e *Editor) TellOpen(b *Buffer, s *State) {
	if e.sync.openClose {
		e.tell("textDocument/didOpen", didOpenParams{textDocumentItem{b.uri, b.languageID, s.Version, s.Text.String()}})
	}
}

// TellChange tells the server of changes that have led to s.
func (e *Editor) TellChange(b *Buffer, s *State, changes []ContentChange) {
	switch e.sync.change {
	case protocol.TextDocumentSyncKindNone:
		return
	case protocol.TextDocumentSyncKindFull:
		changes = []ContentChange{{Text: s.Text.String()}}
	}
	e.tell("textDocument/didChange", didChangeParams{documentID{b.uri, &s.Version}, changes})
}

// TellSave tells the server that s was saved.
func (e *Editor) TellSave(b *Buffer, s *State) {
	if !e.sync.save {
		return
	}
	p := didSaveParams{TextDocument: documentID{URI: b.uri}}
	if e.sync.includeText {
		whole := s.Text.String()
		p.Text = &whole
	}
	e.tell("textDocument/didSave", p)
}

// TellClose tells the server that b is closed.
func (e *Editor) TellClose(b *Buffer) {
	if e.sync.openClose {
		e.tell("textDocument/didClose", didCloseParams{documentID{URI: b.uri}})
	}
}

// ContentChanges returns a change as didChange has it: the edits of a batch from the last
// to the first, so that each leaves the positions of those after it in the list alone.
func (e *Editor) ContentChanges(c Change) (list []ContentChange) {
	if c.Whole {
		return []ContentChange{{Text: c.Batches[0][0].New}}
	}
	t := c.Before
	for i, batch := range c.Batches {
		if i > 0 {
			t = c.Batches[i-1].Apply(t)
		}
		for _, edit := range slices.Backward(batch) {
			r := Range{position(t, edit.Start, e.encoding), position(t, edit.End, e.encoding)}
			list = append(list, ContentChange{&r, edit.New})
		}
	}
	return list
}

func position(t text.Text, off int, enc text.Encoding) Position {
	p := t.Position(off, enc)
	return Position{uint32(p.Line), uint32(p.Character)}
}
