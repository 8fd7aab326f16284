package headless

import (
	"context"
	"slices"

	"github.com/patchls/patchls/edits/text"
)

// The sync notifications have types of our own: the protocol module's rewrite URIs, and a
// document must keep the spelling that it was opened with. The server is told of all four
// kinds, of changes by their ranges, and of a save with the text: it asks for no less.
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
		Range Range  `json:"range"`
		Text  string `json:"text"`
	}
)

// tell writes a notification. The editor goes on when the server is gone; that
// is known from Done.
func (c *connection) tell(method string, params didParams) {
	_ = c.Notify(context.Background(), method, params)
}

// TellOpen tells the server now that b is open with the text of now. The editor must be
// locked, as for the three below.
func (c *connection) TellOpen(b *Buffer, now *State) {
	whole := now.Text.String()
	c.tell("textDocument/didOpen", didParams{TextDocument: textDocument{b.uri, &b.languageID, &now.Version, &whole}})
}

// TellChange tells the server of changes that have led to now.
func (c *connection) TellChange(b *Buffer, now *State, changes []ContentChange) {
	c.tell("textDocument/didChange", didParams{TextDocument: textDocument{URI: b.uri, Version: &now.Version}, ContentChanges: changes})
}

// TellSave tells the server that now was saved.
func (c *connection) TellSave(b *Buffer, now *State) {
	whole := now.Text.String()
	c.tell("textDocument/didSave", didParams{TextDocument: textDocument{URI: b.uri}, Text: &whole})
}

// TellClose tells the server that b is closed.
func (c *connection) TellClose(b *Buffer) {
	c.tell("textDocument/didClose", didParams{TextDocument: textDocument{URI: b.uri}})
}

// ContentChanges returns a change as didChange has it: the edits of a batch from the last
// to the first, so that each leaves the positions of those after it in the list alone.
func (c *connection) ContentChanges(of Change) (list []ContentChange) {
	t := of.Before
	for i, batch := range of.Batches {
		if i > 0 {
			t = of.Batches[i-1].Apply(t)
		}
		for _, edit := range slices.Backward(batch) {
			r := Range{position(t, edit.Start, c.encoding), position(t, edit.End, c.encoding)}
			list = append(list, ContentChange{r, edit.New})
		}
	}
	return list
}

func position(t text.Text, off int, enc text.Encoding) Position {
	p := t.Position(off, enc)
	return Position{uint32(p.Line), uint32(p.Character)}
}
