package apply

import (
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// A document that an editor opens while an edit is under way is not always the one that
// was planned on: the editor opens a file to edit it, or what was unsaved is gone.

// discard takes in that the document was closed without being saved and is open
// again: what the edit was planned on is gone, so it does not belong there. An editor
// may close one and open it again with all that is unsaved, too.
func (m *observer) discard(t text.Text) {
	m.discarded = true
	m.now, m.sinceBase, m.timeline, m.window = t, nil, nil, 0
	m.landing, m.doubt, m.misplaced, m.parts = nil, false, nil, partialEdit{}
}

// rebaseToOpened takes in that the document was opened to be edited. The editor may show it
// with other line ends than the file has.
func (m *observer) rebaseToOpened(doc *workspace.Document) {
	m.now, m.was, m.from = doc.Text, doc.Text, doc.Seq
	m.change.Pins.Pin(doc.History, doc.Seq) // or an edit of many steps could not be told from what comes with it
	es, ok := m.change.sentOn(doc.Text, m.encoding)
	if doc.Text.Equal(m.change.Text) || !ok {
		return
	}
	if !strings.Contains(doc.Text.String(), "\r\n") {
		for i, e := range es {
			es[i].New = strings.ReplaceAll(e.New, "\r\n", "\n")
		}
	}
	m.edit = changeset.Of(es, doc.Text)
	if len(m.parts.remaining) > 0 {
		m.parts.remaining = m.edit
	}
}

// isMadeOnDisk reports whether a text that was opened again is that of the file with
// the edit made where its lines and characters say: the editor opened it for that.
func (m *observer) isMadeOnDisk(opened text.Text) bool {
	disk := m.change.Doc.Disk
	if opened.Equal(disk) || opened.Equal(m.now) || disk.Equal(m.change.Text) {
		return false
	}
	es, ok := m.change.sentOn(disk, m.encoding)
	return ok && makes(es, disk, opened)
}
