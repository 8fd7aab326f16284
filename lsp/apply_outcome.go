package lsp

import (
	"fmt"

	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// landed: the edit was seen in the editor's own text, doc. A nil doc means that
// nobody could see: the editor took the edit of a file of which it never told.
type landed struct {
	change *Change  // as it landed, which may be on a newer text than it was planned on
	how    *landing // nil if the editor's text was not seen to change
	doc    *workspace.Document
	onDisk bool // the editor had the file closed, and has written it
	gone   bool // the file was deleted, and seen to go
}

// told says that somebody is told the rev of the text as the edit left it.
func (l landed) told() {
	if l.how != nil && l.doc.History != nil {
		l.doc.History.Mark(l.how.seq, l.how.text.Hash())
	}
}

// openedToEdit reports whether the editor opened the file to make the edit, and so
// may have told of it with the edit made.
func (l landed) openedToEdit() bool {
	return l.change.kind == editor.Update && l.change.Doc == nil && l.how != nil && l.doc != nil && l.doc.Disk.Equal(l.how.text)
}

// savedBy reports whether the editor has written the file with the edit, as
// Kakoune does with files that nobody looks at (hazard: writes-to-disk).
func (l landed) savedBy(open, dirty bool) bool {
	if l.onDisk || l.doc == nil || l.how == nil || !open || dirty {
		return l.onDisk
	}
	return l.change.Doc == nil || !l.doc.Disk.Equal(l.how.text)
}

// diskNotes says what has become of the file of a document that has unsaved changes
// since the landing.
func (l landed) diskNotes(t paths.Target) []string {
	if t.Abs == "" || l.doc.History == nil {
		return nil
	}
	same, exists := paths.SameOnDisk(t.Abs, l.doc.Disk)
	if l.openedToEdit() {
		same, exists = paths.SameOnDisk(t.Abs, l.change.Text)
	}
	switch {
	case same || !exists && !l.doc.DiskChanged:
		return nil
	case !exists:
		return []string{fmt.Sprintf("%s was deleted on disk by another program; it is in the editor alone.", t.Path)}
	}
	return []string{fmt.Sprintf("%s on disk is another text than the one that the editor opened or saved last: another program has written it, or the editor had unsaved text when it told of the file. Saving would overwrite that; compare the two first.", t.Path)}
}
