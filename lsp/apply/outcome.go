package apply

import (
	"fmt"

	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Outcome is what became of a change that was made: the edit was seen in the editor's own text, Doc. A nil Doc means that
// nobody could see: the editor took the edit of a file of which it never told.
type Outcome struct {
	Change  *Change  // as it landed, which may be on a newer text than it was planned on
	Landing *Landing // nil if the editor's text was not seen to change
	Doc     *workspace.Document
	OnDisk  bool // the editor had the file closed, and has written it
	Deleted bool // the file was deleted, and seen to go
}

// RecordRev says that somebody is told the rev of the text as the edit left it.
func (l Outcome) RecordRev() {
	if l.Landing != nil && l.Doc.History != nil {
		l.Doc.History.Mark(l.Landing.Seq, l.Landing.Text.Hash())
	}
}

// OpenedToEdit reports whether the editor opened the file to make the edit, and so
// may have told of it with the edit made.
func (l Outcome) OpenedToEdit() bool {
	return l.Change.Kind == editor.Update && l.Change.Doc == nil && l.Landing != nil && l.Doc != nil && l.Doc.Disk.Equal(l.Landing.Text)
}

// SavedBy reports whether the editor has written the file with the edit, as
// Kakoune does with files that nobody looks at (hazard: writes-to-disk).
func (l Outcome) SavedBy(open, dirty bool) bool {
	if l.OnDisk || l.Doc == nil || l.Landing == nil || !open || dirty {
		return l.OnDisk
	}
	return l.Change.Doc == nil || !l.Doc.Disk.Equal(l.Landing.Text)
}

// DiskNotes says what has become of the file of a document that has unsaved changes
// since the landing.
func (l Outcome) DiskNotes(t paths.Target) []string {
	if t.Abs == "" || l.Doc.History == nil {
		return nil
	}
	same, exists := paths.SameOnDisk(t.Abs, l.Doc.Disk)
	if l.OpenedToEdit() {
		same, exists = paths.SameOnDisk(t.Abs, l.Change.Text)
	}
	switch {
	case same || !exists && !l.Doc.DiskChanged:
		return nil
	case !exists:
		return []string{fmt.Sprintf("%s was deleted on disk by another program; it is in the editor alone.", t.Path)}
	}
	return []string{fmt.Sprintf("%s on disk is another text than the one that the editor opened or saved last: another program has written it, or the editor had unsaved text when it told of the file. Saving would overwrite that; compare the two first.", t.Path)}
}
