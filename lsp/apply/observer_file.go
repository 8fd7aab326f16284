package apply

import (
	"fmt"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// fileObserver finds the outcome of a change that deletes or renames a file. The change is
// made when the editor's documents show it, or when disk does.
type fileObserver struct {
	change *Change
	// announces: the editor's documents alone prove the change, and disk follows later.
	announces bool
	news      chan<- struct{} // gets a value when there is something new to see

	mu         sync.Mutex
	listed     bool                // a file was on disk before
	text       text.Text           // the newest one under the old name
	open       bool                // the editor has or had the document open
	doc        *workspace.Document // the newest under the old name
	newDoc     *workspace.Document // the newest under the new name
	sameText   *workspace.Document // the first under the new name that has the text of the old
	renamedDoc *workspace.Document // sameText, once no document is open under the old name
	closed     bool                // the document was closed
	rejected   bool                // the editor said no, so closing it means nothing
}

// IsFileOperation reports whether a change deletes or renames a file.
func (j *Change) IsFileOperation() bool { return j.Kind == editor.Delete || j.Kind == editor.Rename }

// description says what the editor is asked to do, for messages.
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
// are never left out: editors differ in their defaults.
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

// watch observes the documents of the change until stop is called.
func (f *fileObserver) watch(docs *workspace.Documents) (stop func()) {
	f.listed, f.text = paths.Listed(f.change.Abs), f.change.Text
	stopOld := docs.Watch(f.change.Key, f.observeOld)
	if f.change.Kind == editor.Delete {
		return stopOld
	}
	stopNew := docs.Watch(f.change.To.Key, f.observeNew)
	return func() { stopNew(); stopOld() }
}

// observeOld records a state of the document under its old name.
func (f *fileObserver) observeOld(doc *workspace.Document) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doc = doc
	if doc != nil {
		f.open, f.text = true, doc.Text
		return
	}
	f.look()
}

// observeNew records a state of the document under its new name.
func (f *fileObserver) observeNew(doc *workspace.Document) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newDoc = doc
	if doc != nil && f.sameText == nil && doc.Drift == "" && text.Same(doc.Text, f.text, f.change.Doc == nil) {
		f.sameText = doc
	}
	f.look()
}

// look checks whether the change has been made. The caller holds f.mu.
func (f *fileObserver) look() {
	if f.doc != nil || f.renamedDoc != nil || f.closed {
		return
	}
	switch f.change.Kind {
	case editor.Delete:
		f.closed = f.open && !f.rejected
	case editor.Rename:
		f.renamedDoc = f.sameText
	}
	workspace.Wake(f.news)
}

// isCurrent reports whether the documents are still those that were planned on.
func (f *fileObserver) isCurrent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.doc == f.change.Doc && f.newDoc == nil
}

// refuse records that the editor said no. A document that is closed may then have been closed by the user.
func (f *fileObserver) refuse() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rejected, f.closed = true, false
}

// outcome returns how the documents show the change to be made; ok is false if they do not.
func (f *fileObserver) outcome() (l Outcome, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Closing a document does not delete its file: if the file was on disk, disk shows whether it was deleted.
	l = Outcome{Change: f.change, Doc: f.renamedDoc, Deleted: f.closed && (f.announces || !f.listed || !paths.Listed(f.change.Abs))}
	if l.Deleted && f.change.Doc != nil && !f.text.Equal(f.change.Text) {
		as := *f.change // with what was typed meanwhile, so that it can be restored
		as.Text = f.text
		l.Change = &as
	}
	return l, l.Doc != nil || l.Deleted
}

// diskOutcome returns the outcome, and whether disk shows that a file was deleted or renamed.
func (f *fileObserver) diskOutcome() (Outcome, bool) {
	if f == nil || !f.listed || paths.Listed(f.change.Abs) {
		return Outcome{}, false
	}
	j := f.change
	if j.Kind == editor.Delete {
		return Outcome{Change: j, Deleted: true}, true
	}
	same, _ := paths.SameOnDisk(j.To, j.Text)
	return Outcome{Change: j, Doc: &workspace.Document{Key: j.To.Key, URI: j.To.URI, Text: j.Text}, OnDisk: true}, same
}

// verdict is [request.verdict] for a deletion or a renaming that no document has shown.
func (f *fileObserver) verdict(said *answer) (Outcome, error) {
	j := f.change
	if l, ok := f.diskOutcome(); ok {
		return l, nil
	}
	if said.Applied {
		return Outcome{}, j.Failure(edits.NotSettled, "The editor says that it did the %s, but there is no sign of it.", j.description())
	}
	return Outcome{}, j.Failure(edits.Rejected, "The editor rejected the %s%s; it is as it was.", j.description(), said.quotedReason())
}
