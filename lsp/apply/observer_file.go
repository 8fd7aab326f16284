package apply

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A change that deletes or renames a file is done when the editor tells so by its
// documents, or when disk shows it.

// fileObserver is what an [observer] knows of such a change.
type fileObserver struct {
	// announces: the editor tells by its documents alone, and disk follows later.
	announces bool

	listed     bool                // there was a file on disk before
	text       text.Text           // the newest one under the old name
	open       bool                // the editor has or had the document open
	newDoc     *workspace.Document // the newest under the new name
	sameText   *workspace.Document // the first that has the text of the old
	renamedDoc *workspace.Document // the first that shows the renaming to be done
	closed     bool                // the document was closed
	rejected   bool                // the editor said no, so closing it means nothing
}

// IsFileOperation reports whether a change deletes or renames a file.
func (j *Change) IsFileOperation() bool { return j.Kind == editor.Delete || j.Kind == editor.Rename }

// description words what the editor is asked to do.
func (j *Change) description() string {
	switch j.Kind {
	case editor.Delete:
		return "deletion of " + j.Path
	case editor.Rename:
		return fmt.Sprintf("renaming of %s to %s", j.Path, j.To.Path)
	}
	return "edit of " + j.Path
}

// fileOperation returns the operation as LSP has it, nil if j is none. Options
// are never left out: what they would be then differs between editors.
func (j *Change) fileOperation() protocol.DocumentChange {
	no := false
	switch j.Kind {
	case editor.Delete:
		return &protocol.DeleteFile{
			Kind: "delete", URI: uri.URI(j.URI), Options: &protocol.DeleteFileOptions{IgnoreIfNotExists: &no, Recursive: &no},
		}
	case editor.Rename:
		return &protocol.RenameFile{
			Kind: "rename", OldURI: uri.URI(j.URI), NewURI: uri.URI(j.To.URI),
			Options: &protocol.RenameFileOptions{Overwrite: &no, IgnoreIfExists: &no},
		}
	}
	return nil
}

func (m *observer) watchFile(docs *workspace.Documents) (stop func()) {
	m.file.listed, m.file.text = paths.Listed(m.change.Abs), m.change.Text
	stopOld := docs.Watch(m.change.Key, m.observeOld)
	if m.change.Kind == editor.Delete {
		return stopOld
	}
	stopNew := docs.Watch(m.change.To.Key, m.observeNew)
	return func() { stopNew(); stopOld() }
}

// observeOld takes in a state of the document that is to go.
func (m *observer) observeOld(doc *workspace.Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest = doc
	if doc != nil {
		m.file.open = true
		if doc.Left == "" { // else nobody has its text, and what it had is still the best to put back
			m.file.text = doc.Text
		}
		return
	}
	m.lookForFile()
}

// observeNew takes in a state of the document under its new name.
func (m *observer) observeNew(doc *workspace.Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.file.newDoc = doc
	if doc != nil && m.file.sameText == nil && doc.Drift == "" && text.Same(doc.Text, m.file.text, m.change.Doc == nil) {
		m.file.sameText = doc
	}
	m.lookForFile()
}

// lookForFile sees whether the change is made by now. It needs the lock.
func (m *observer) lookForFile() {
	if m.newest != nil || m.file.renamedDoc != nil || m.file.closed {
		return
	}
	switch m.change.Kind {
	case editor.Delete:
		m.file.closed = m.file.open && !m.file.rejected
	case editor.Rename:
		m.file.renamedDoc = m.file.sameText
	}
	m.wake()
}

// refuse takes in that the editor said no: the user may close the document that it
// was to delete. After an answer that cannot be read the edit may have been made.
func (m *observer) refuse(unread bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.exact = m.exact && !unread
	m.file.rejected, m.file.closed = true, false
	if m.landing != nil && m.isTransient(m.landing) {
		m.landing = nil
	}
}

// fileOutcome is [observer.outcome] for a deletion or a renaming. It needs the lock.
func (m *observer) fileOutcome() (l Outcome, ok bool) {
	l = Outcome{Change: m.change, Doc: m.file.renamedDoc, Deleted: m.file.closed && m.isGone()}
	if l.Deleted && !m.file.text.Equal(m.change.Text) {
		as := *m.change // with what was typed into it meanwhile, so that it can be put back
		as.Text = m.file.text
		l.Change = &as
	}
	return l, l.Doc != nil || l.Deleted
}

// isGone reports whether a document that was closed was deleted: of one that is
// on disk, disk tells.
func (m *observer) isGone() bool {
	return m.file.announces || !m.file.listed || !paths.Listed(m.change.Abs)
}

// diskOutcome returns the outcome, and whether disk shows that a file was deleted or renamed.
func (m *observer) diskOutcome() (Outcome, bool) {
	j := m.change
	if !j.IsFileOperation() || !m.file.listed || paths.Listed(j.Abs) {
		return Outcome{}, false
	}
	if j.Kind == editor.Delete {
		return Outcome{Change: j, Deleted: true}, true
	}
	same, _ := paths.SameOnDisk(j.To.Abs, j.Text)
	return Outcome{Change: j, Doc: &workspace.Document{Key: j.To.Key, URI: j.To.URI, Text: j.Text}, OnDisk: true}, same
}

// verdictOnFile is [request.verdict] for a deletion or a renaming that no
// document has told of.
func (j *Change) verdictOnFile(m *observer, said *answer) (Outcome, error) {
	if l, ok := m.diskOutcome(); ok {
		return l, nil
	}
	if said.applied {
		return Outcome{}, j.Failure(editor.NotSettled, "The editor says that it did the %s, but there is no sign of it.", j.description())
	}
	return Outcome{}, j.Failure(editor.Rejected, "The editor rejected the %s%s; it is as it was.", j.description(), said.quotedReason())
}
