package workspace

import "github.com/patchls/patchls/edits/text"

// Change is one entry of a didChange: Text replaces Range, or everything where
// Range is nil. Range counts characters in the connection's encoding.
type Change struct {
	Range *Range
	Text  string
}

// Range is an LSP range, its end exclusive and not before its start.
type Range struct{ Start, End text.Position }

// Change returns the document after the changes, each of which is about the
// text that the one before it left (LSP, TextDocumentContentChangeEvent).
func (d *Document) Change(version int32, changes []Change, enc text.Encoding) *Document {
	next := *d
	next.Version = version
	for _, c := range changes {
		if c.Range == nil {
			next.Text = text.New(c.Text)
			continue
		}
		start := next.Text.Offset(c.Range.Start, enc)
		end := next.Text.Offset(c.Range.End, enc)
		next.Text = next.Text.Replace(start, max(start, end), c.Text)
	}
	return &next
}

// Drifted returns the document marked as out of step with the editor.
func (d *Document) Drifted(why string) *Document {
	next := *d
	next.Drift = why
	return &next
}
