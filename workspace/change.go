package workspace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// Change is one entry of a didChange: Text replaces Range, or everything if Whole is
// set. Range counts characters in the connection's encoding.
type Change struct {
	Range Range
	Whole bool
	Text  string
	// Length is how many characters Range has in the editor's text. It is valid if Counted
	// is set: the editor has sent a length, and counts as the connection does.
	Length  int
	Counted bool
}

// misfit is the Drift of a document after a change that does not fit its text.
const misfit = "the editor changed a text that is not the one here"

// positions is what [text.Text] and [text.Buffer] have in common.
type positions interface {
	Len() int
	Offset(p text.Position, enc text.Encoding) int
	Position(off int, enc text.Encoding) text.Position
	Slice(start, end int) string
}

// within returns the change as it is to be made to t. Neovim counts a final newline that its text does not have: it names
// an end on the line below the text, and a length that is longer by that newline (hazard: newline-not-there). The text is as
// after that change of a text with a final newline, which is left out again.
func (c Change) within(t positions, enc text.Encoding) Change {
	if !c.Counted || c.Range.End.Character != 0 {
		return c
	}
	end := t.Len()
	last := t.Position(end, enc)
	if c.Range.End.Line != last.Line+1 || c.Range.Start.Line > last.Line {
		return c
	}
	start := t.Offset(c.Range.Start, enc)
	length, newline := enc.Count(t.Slice(start, end)), "\n"
	if line := t.Offset(text.Position{Line: last.Line}, enc); t.Slice(max(0, line-2), line) == "\r\n" {
		newline = "\r\n"
	}
	if c.Length != length+len(newline) {
		return c
	}
	put, ended := strings.CutSuffix(c.Text, newline)
	if !ended && c.Text == "" && strings.HasSuffix(t.Slice(max(0, start-len(newline)), start), newline) { // whole lines are deleted
		start, length = start-len(newline), length+len(newline)
	}
	return Change{Range: Range{t.Position(start, enc), last}, Text: put, Length: length, Counted: true}
}

// fits reports whether t has the change's range, from start to end: both positions, and as many characters between them as
// the editor says. An editor whose text differs names positions that do not exist in t, or a length that does not match. If
// the editor says no length, it may name an end below the text, and any character past the end of a line, as LSP allows; but
// no start below the text, and no place within a character.
func (c Change) fits(t positions, start, end int, enc text.Encoding) bool {
	switch {
	case c.Whole:
		return true
	case !c.Counted:
		return c.Range.Start.Line <= t.Position(start, enc).Line && !splits(t, start, c.Range.Start, enc) && !splits(t, end, c.Range.End, enc)
	case t.Position(start, enc) != c.Range.Start || t.Position(end, enc) != c.Range.End:
		return false
	case c.Range.Start.Line == c.Range.End.Line:
		return c.Length == c.Range.End.Character-c.Range.Start.Character
	}
	return c.Length == enc.Count(t.Slice(start, end))
}

// splits reports whether p, which [text.Text.Offset] takes for off, is within the character there.
func splits(t positions, off int, p text.Position, enc text.Encoding) bool {
	at := t.Position(off, enc)
	return at.Line == p.Line && at.Character < p.Character && off < t.Len() && t.Slice(off, off+1) != "\n"
}

// Range is an LSP range, its end exclusive and not before its start.
type Range struct{ Start, End text.Position }

// Step is one change of a document, the text that it leaves, and its number in the document's history.
type Step struct {
	Change changeset.Changeset
	Text   text.Text
	Seq    int
}

// Change returns the document after the changes, each of which refers to the text that the previous one left (LSP,
// TextDocumentContentChangeEvent). Versions may jump; a version lower than the last one means that changes came out of order
// (hazard: version-jumps).
func (d *Document) Change(version int32, changes []Change, enc text.Encoding) *Document {
	next := *d
	next.Steps = make([]Step, 0, len(changes))
	for _, c := range changes {
		c = c.within(next.Text, enc)
		start, end := 0, next.Text.Len()
		if !c.Whole {
			start = next.Text.Offset(c.Range.Start, enc)
			end = max(start, next.Text.Offset(c.Range.End, enc))
		}
		if next.Drift == "" && !c.fits(next.Text, start, end, enc) {
			next.Drift = misfit
		}
		put := strings.Clone(c.Text)
		change := changeset.Replaced(next.Text, start, end, put)
		if len(change) == 0 {
			continue
		}
		next.Text = change.Edits().Apply(next.Text)
		next.Steps = append(next.Steps, Step{Change: change, Text: next.Text})
	}
	if version < d.Version && next.Drift == "" {
		next.Drift = fmt.Sprintf("its changes came out of order, version %d after %d", version, d.Version)
	}
	next.Version = version
	return &next
}

// OnDisk returns the document with this Disk and DiskChanged.
func (d *Document) OnDisk(disk text.Text, changed bool) *Document {
	next := *d
	next.Disk, next.DiskChanged, next.Steps = disk, changed, nil
	return &next
}

// SameOnDisk reports whether the document's file holds Disk, as [paths.SameOnDisk] does. The lone
// newline that Neovim has for an empty file is the same as nothing (hazard: empty-buffer).
func (d *Document) SameOnDisk(at paths.Target) (same, exists bool) {
	if same, exists = paths.SameOnDisk(at, d.Disk); !same && d.Disk.String() == "\n" {
		same, exists = paths.SameOnDisk(at, text.Text{})
	}
	return same, exists
}

// SeqOf returns how much of the history the document had when its text was t. ok is false if the text was not t
// since the file was last seen to hold Disk.
func (d *Document) SeqOf(t text.Text) (seq int, ok bool) { return d.History.SeqOf(t, d.sameSeq) }

// Saved returns the document after a save that wrote saved to its file.
func (d *Document) Saved(saved text.Text) *Document {
	next := d.OnDisk(saved, false)
	if d.Behind && d.sameSeq > d.diskSeq {
		next.sameSeq-- // the newer text seen in the file may be this save's, reported together with what was typed since
	}
	next.diskSeq, next.Behind = d.Seq, false
	if next.InFile == nil {
		next.InFile = &text.Text{} // as if the file were new: nothing else is known of it
	}
	return next
}

// WithText returns the document with a text that the editor has sent as a whole. If version
// is nil, the document keeps its version.
func (d *Document) WithText(version *int32, whole text.Text) *Document {
	next := *d
	next.Text, next.Drift, next.Steps = whole, "", nil
	if version != nil {
		next.Version = *version
	}
	return &next
}

// opened is an open document. Typing changes a buffer in place; a [Document] is made of the buffer on demand.
type opened struct {
	doc    *Document // as of the last look
	number int       // it was the first document to be opened, the second, and so on

	buf     *text.Buffer // the text now, nil where nothing was typed yet
	version int32        // now
	misfit  bool         // a change did not fit the text

	// The changes since the last look, each based on the text that the previous one left. Typing costs next to nothing until
	// the next look.
	typed []changeset.Change
	bytes int // that typed removes and inserts
}

// maxTyped and maxTypedBytes bound the changes that are kept before they are passed to the history.
const (
	maxTyped      = 256
	maxTypedBytes = 64 << 10
)

// Change applies the editor's changes to a document, and reports whether the document is open.
// Each change refers to the text that the previous one left. Change does not retain changes.
func (ds *Documents) Change(key paths.Key, version int32, changes []Change, enc text.Encoding) bool {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	o := ds.docs[key]
	if o == nil {
		return false
	}
	if len(ds.watchers[key]) > 0 || !o.takes(version, changes) {
		ds.put(o.look().Change(version, changes, enc))
		return true
	}
	o.take(version, changes, enc)
	if o.misfit {
		ds.put(o.look()) // look marks the document as drifted
		return true
	}
	ds.Changed.send()
	return true
}

// Untyped returns a document that is open, if none of its changes was made in place since its last state: the next
// change may be a reload of its file by the editor. It returns nil otherwise.
func (ds *Documents) Untyped(key paths.Key) *Document {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if o := ds.docs[key]; o != nil && o.buf == nil {
		return o.doc
	}
	return nil
}

// takes reports whether changes may be made in place.
func (o *opened) takes(version int32, changes []Change) bool {
	isWhole := func(c Change) bool { return c.Whole }
	return o.doc.Drift == "" && version >= o.version && !slices.ContainsFunc(changes, isWhole)
}

// take makes changes in place.
func (o *opened) take(version int32, changes []Change, enc text.Encoding) {
	if o.buf == nil {
		o.buf = text.NewBuffer(o.doc.Text)
	}
	o.version = version
	for i := range changes {
		o.takeOne(changes[i], enc)
	}
	if len(o.typed) >= maxTyped || o.bytes >= maxTypedBytes {
		o.look()
	}
}

func (o *opened) takeOne(c Change, enc text.Encoding) {
	c = c.within(o.buf, enc)
	start := o.buf.Offset(c.Range.Start, enc)
	end := start
	if c.Range.Start != c.Range.End {
		end = max(start, o.buf.Offset(c.Range.End, enc))
	}
	o.misfit = o.misfit || !c.fits(o.buf, start, end, enc)
	one := changeset.Change{At: start, Old: o.buf.Slice(start, end), New: strings.Clone(c.Text)}
	o.typed = append(o.typed, one)
	o.bytes += one.Size()
	o.buf.Replace(start, end, c.Text)
}

// look returns the document as it is now.
func (o *opened) look() *Document {
	if len(o.typed) > 0 {
		next := *o.doc
		next.Text, next.Version, next.Steps = o.buf.Snapshot(), o.version, nil
		if o.misfit {
			next.Drift = misfit
		}
		next.Seq = next.History.Typed(next.Text, o.typed)
		clear(o.typed) // a long text is not kept
		o.doc, o.typed, o.bytes = &next, o.typed[:0], 0
	}
	return o.doc
}
