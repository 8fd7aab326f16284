package workspace

import (
	"fmt"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Change is one entry of a didChange: Text replaces Range, or everything if Whole is
// set. Range counts characters in the connection's encoding.
type Change struct {
	Range Range
	Whole bool
	Text  string
	// Length is how many characters Range has in the editor's text, if it is Counted: the
	// editor has said it, and counts as the connection does.
	Length  int
	Counted bool
}

// misfit is why a document is not known any more after a change that is about another text.
const misfit = "the editor changed a text that is not the one here"

// positions is what [text.Text] and [text.Buffer] have in common.
type positions interface {
	Position(off int, enc text.Encoding) text.Position
	Slice(start, end int) string
}

// fits reports whether t has the change's range, which is from start to end there: both
// positions, and between them as many characters as the editor says. An editor whose text is
// another one names places that are not here, or a length that is not theirs.
func (c *Change) fits(t positions, start, end int, enc text.Encoding) bool {
	switch {
	case c.Whole || !c.Counted:
		return true
	case t.Position(start, enc) != c.Range.Start || t.Position(end, enc) != c.Range.End:
		return false
	case c.Range.Start.Line == c.Range.End.Line:
		return c.Length == c.Range.End.Character-c.Range.Start.Character
	}
	return c.Length == enc.Count(t.Slice(start, end))
}

// Range is an LSP range, its end exclusive and not before its start.
type Range struct{ Start, End text.Position }

// Step is one change of a document, the text that it leaves, and its number in
// the document's history.
type Step struct {
	Change changeset.Changeset
	Text   text.Text
	Seq    int
}

// Change returns the document after the changes, each of which is about the
// text that the one before it left (LSP, TextDocumentContentChangeEvent).
// Versions may jump; one that is lower than the last says that changes have come
// out of order (hazard: version-jumps).
func (d *Document) Change(version int32, changes []Change, enc text.Encoding) *Document {
	next := *d
	next.Steps = make([]Step, 0, len(changes))
	for _, c := range changes {
		start, end := 0, next.Text.Len()
		if !c.Whole {
			start = next.Text.Offset(c.Range.Start, enc)
			end = max(start, next.Text.Offset(c.Range.End, enc))
		}
		if next.Drift == "" && !c.fits(next.Text, start, end, enc) {
			next.Drift = misfit
		}
		change := changeset.Replaced(next.Text, start, end, c.Text)
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
