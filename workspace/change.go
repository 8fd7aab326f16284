package workspace

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Change is one entry of a didChange: Text replaces Range, or everything if Whole is
// set. Range counts characters in the connection's encoding.
type Change struct {
	Range Range
	Whole bool
	Text  string
}

// Range is an LSP range, its end exclusive and not before its start.
type Range struct{ Start, End text.Position }

// Step is one change of a document, the text that it leaves, and its number in
// the document's history.
type Step struct {
	Change edits.Changeset
	Text   text.Text
	Seq    int
}

// Change returns the document after the changes, each of which is about the
// text that the one before it left (LSP, TextDocumentContentChangeEvent).
// Versions may jump; one that is lower than the last says that changes have come
// out of order (real-editors.md, "Text out of step").
func (d *Document) Change(version int32, changes []Change, enc text.Encoding) *Document {
	next := *d
	next.Steps = make([]Step, 0, len(changes))
	for _, c := range changes {
		start, end := 0, next.Text.Len()
		if !c.Whole {
			start = next.Text.Offset(c.Range.Start, enc)
			end = max(start, next.Text.Offset(c.Range.End, enc))
		}
		change := edits.Replaced(next.Text, start, end, c.Text)
		if len(change) == 0 {
			continue
		}
		next.Text = next.Text.Replace(start, end, c.Text)
		next.Steps = append(next.Steps, Step{Change: change, Text: next.Text})
	}
	if version < d.Version && next.Drift == "" {
		next.Drift = fmt.Sprintf("its changes came out of order, version %d after %d", version, d.Version)
	}
	next.Version = version
	return &next
}

// OnDisk returns the document with what is known of its file.
func (d *Document) OnDisk(disk text.Text, changed bool) *Document {
	next := *d
	next.Disk, next.DiskChanged, next.Steps = disk, changed, nil
	return &next
}

// Saved returns the document with the text that its file was given.
func (d *Document) Saved(saved text.Text) *Document {
	next := d.OnDisk(saved, false)
	next.diskSeq = d.Seq
	return next
}

// Sent returns the document with a text that the editor has sent as a whole; nil is
// the version that it had.
func (d *Document) Sent(version *int32, whole text.Text) *Document {
	next := *d
	next.Text, next.Drift, next.Steps = whole, "", nil
	if d.Left != "" {
		next.Left, next.History, next.Disk = "", nil, whole
	}
	if version != nil {
		next.Version = *version
	}
	return &next
}

// Drifted returns the document marked as out of step with the editor.
func (d *Document) Drifted(why string) *Document {
	next := *d
	next.Drift, next.Steps = why, nil
	return &next
}
