package apply

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
)

// TextEdits returns es, which are edits of t, in the form of LSP.
func TextEdits(t text.Text, es edits.Edits, enc text.Encoding) []protocol.TextEdit {
	out := []protocol.TextEdit{}
	for _, e := range es.WholeLineEnds(t).BeforeEnd(t) {
		out = append(out, protocol.TextEdit{
			Range:   protocol.Range{Start: Position(t, e.Start, enc), End: Position(t, e.End, enc)},
			NewText: e.New,
		})
	}
	return out
}

// Position returns the LSP position of a byte of a text, in the units of enc.
func Position(t text.Text, off int, enc text.Encoding) protocol.Position {
	p := t.Position(off, enc)
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}

// sentOn reinterprets the ranges that are sent for the edit as edits of t, which may be another text than the one that they
// were computed for. ok is false if they are out of bounds or overlap, or if none has an effect.
func (j *Change) sentOn(t text.Text, enc text.Encoding) (es edits.Edits, ok bool) {
	for _, e := range j.Plan.Edits.WholeLineEnds(j.Text).BeforeEnd(j.Text) {
		start := t.Offset(j.Text.Position(e.Start, enc), enc)
		end := t.Offset(j.Text.Position(e.End, enc), enc)
		if start == end && e.New == "" {
			continue // there is no text to delete at this place
		}
		if n := len(es); n > 0 && es[n-1].End == start {
			es[n-1].End, es[n-1].New = end, es[n-1].New+e.New
			continue
		}
		es = append(es, edits.Edit{Start: start, End: end, New: e.New})
	}
	return es, len(es) > 0 && es.Validate(t.Len()) == nil
}

// WorkspaceEdit returns what the client is asked to apply: always documentChanges, one document, and an explicit version
// (hazards: explicit-version, both-changes, second-document).
func (j *Change) WorkspaceEdit(c *editor.Editor) protocol.WorkspaceEdit {
	var changes []protocol.DocumentChange
	if op := j.fileOperation(); op != nil {
		return protocol.WorkspaceEdit{DocumentChanges: append(changes, op)}
	}
	if j.Kind == editor.Create && c.CreateFiles && (!c.Quirks.CreatesByEdit || len(j.Plan.Edits) == 0) {
		ignore := !j.MustBeNew
		changes = append(changes, &protocol.CreateFile{
			Kind: "create", URI: uri.URI(j.URI), Options: &protocol.CreateFileOptions{IgnoreIfExists: &ignore},
		})
	}
	edit := &protocol.TextDocumentEdit{}
	edit.TextDocument.URI = uri.URI(j.URI)
	if j.Doc != nil {
		version := j.Doc.Version
		if version == 0 && c.Quirks.ZeroUnchecked {
			version = 1
		}
		edit.TextDocument.Version = &version
	}
	for _, e := range TextEdits(j.Text, j.Plan.Edits, c.Encoding) {
		edit.Edits = append(edit.Edits, &e)
	}
	if len(edit.Edits) > 0 {
		changes = append(changes, edit)
	}
	return protocol.WorkspaceEdit{DocumentChanges: changes}
}
