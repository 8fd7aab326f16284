package headless

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
)

// The sync notifications have types of our own: the protocol module's rewrite URIs, and a
// document must keep the spelling that it was opened with.
type (
	didParams struct {
		TextDocument   textDocument    `json:"textDocument"`
		ContentChanges []ContentChange `json:"contentChanges,omitzero"`
		Text           *string         `json:"text,omitempty"`
	}
	textDocument struct {
		URI        string  `json:"uri"`
		LanguageID *string `json:"languageId,omitempty"`
		Version    *int32  `json:"version,omitempty"`
		Text       *string `json:"text,omitempty"`
	}
	// ContentChange is LSP's TextDocumentContentChangeEvent.
	ContentChange struct {
		Range *Range `json:"range,omitempty"` // nil: Text is the whole document
		Text  string `json:"text"`
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

// tell writes a notification. The editor goes on when the server is gone; that
// is known from Done.
func (c *connection) tell(method string, params didParams) {
	_ = c.Notify(context.Background(), method, params)
}

// TellOpen tells the server now that b is open with the text of now, if it wants to know.
// The editor must be locked, as for the three below.
func (c *connection) TellOpen(b *Buffer, now *State) {
	if c.sync.openClose {
		whole := now.Text.String()
		c.tell("textDocument/didOpen", didParams{TextDocument: textDocument{b.uri, &b.languageID, &now.Version, &whole}})
	}
}

// TellChange tells the server of changes that have led to now.
func (c *connection) TellChange(b *Buffer, now *State, changes []ContentChange) {
	switch c.sync.change {
	case protocol.TextDocumentSyncKindNone:
		return
	case protocol.TextDocumentSyncKindFull:
		changes = []ContentChange{{Text: now.Text.String()}}
	}
	c.tell("textDocument/didChange", didParams{TextDocument: textDocument{URI: b.uri, Version: &now.Version}, ContentChanges: changes})
}

// TellSave tells the server that now was saved.
func (c *connection) TellSave(b *Buffer, now *State) {
	if !c.sync.save {
		return
	}
	p := didParams{TextDocument: textDocument{URI: b.uri}}
	if c.sync.includeText {
		whole := now.Text.String()
		p.Text = &whole
	}
	c.tell("textDocument/didSave", p)
}

// TellClose tells the server that b is closed.
func (c *connection) TellClose(b *Buffer) {
	if c.sync.openClose {
		c.tell("textDocument/didClose", didParams{TextDocument: textDocument{URI: b.uri}})
	}
}

// ContentChanges returns a change as didChange has it: the edits of a batch from the last
// to the first, so that each leaves the positions of those after it in the list alone.
func (c *connection) ContentChanges(of Change) (list []ContentChange) {
	if of.Whole {
		return []ContentChange{{Text: of.Batches[0][0].New}}
	}
	t := of.Before
	for i, batch := range of.Batches {
		if i > 0 {
			t = of.Batches[i-1].Apply(t)
		}
		for _, edit := range slices.Backward(batch) {
			r := Range{position(t, edit.Start, c.encoding), position(t, edit.End, c.encoding)}
			list = append(list, ContentChange{&r, edit.New})
		}
	}
	return list
}

func position(t text.Text, off int, enc text.Encoding) Position {
	p := t.Position(off, enc)
	return Position{uint32(p.Line), uint32(p.Character)}
}
