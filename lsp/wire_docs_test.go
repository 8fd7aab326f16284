package lsp_test

import (
	"encoding/json"

	"github.com/patchls/patchls/edits/text"
)

// notified records what the client reports about a document. A malformed report makes
// the document unknown until its text is sent whole, and unknown is never a fault.
func (w *wireCheck) notified(method string, params json.RawMessage) {
	var p struct {
		TextDocument struct {
			URI     string
			Version *int32
			Text    *string
		}
		ContentChanges []struct {
			Range *struct {
				Start, End struct{ Line, Character *uint32 }
			}
			RangeLength *uint32
			Text        *string
		}
	}
	odd := json.Unmarshal(params, &p) != nil
	doc := w.docs[p.TextDocument.URI]
	switch method {
	case "textDocument/didOpen":
		if odd || p.TextDocument.Text == nil {
			return
		}
		if doc == nil {
			doc = &wireDoc{versions: map[int32][]text.Text{}}
			w.docs[p.TextDocument.URI] = doc
		}
		doc.open, doc.since, doc.unknown, doc.version = true, w.count, false, 0
		doc.put(p.TextDocument.Version, text.New(*p.TextDocument.Text))
	case "textDocument/didChange":
		if odd || doc == nil {
			w.forget()
			return
		}
		now := doc.newest
		for _, c := range p.ContentChanges {
			switch {
			case c.Text == nil || c.Range == nil && c.RangeLength != nil:
				doc.unknown = true
				return
			case c.Range == nil:
				now = text.New(*c.Text)
				continue
			}
			from, ok := wireOffset(now, c.Range.Start.Line, c.Range.Start.Character, w.client.encoding)
			to, also := wireOffset(now, c.Range.End.Line, c.Range.End.Character, w.client.encoding)
			if !ok || !also || to < from {
				doc.unknown = true
				return
			}
			now = now.Replace(from, to, *c.Text)
		}
		doc.put(p.TextDocument.Version, now)
	case "patchls/synced":
		if doc != nil && !odd && p.TextDocument.Text != nil {
			doc.unknown = false
			doc.put(p.TextDocument.Version, text.New(*p.TextDocument.Text))
		}
	case "textDocument/didClose":
		if doc != nil {
			doc.open = false
		}
	}
}

func wireOffset(t text.Text, line, character *uint32, enc text.Encoding) (int, bool) {
	if line == nil || character == nil {
		return 0, false
	}
	return t.Offset(text.Position{Line: int(*line), Character: int(*character)}, enc), true
}

// put makes t the newest text; without a version it has the previous one.
func (d *wireDoc) put(version *int32, t text.Text) {
	if version != nil {
		d.version = *version
	}
	d.newest = t
	d.versions[d.version] = append(d.versions[d.version], t)
}
