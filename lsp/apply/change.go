package apply

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Change is one change of one document: what is planned, on which text.
type Change struct {
	workspace.Snapshot
	Kind    string // as results call the change
	Plan    edits.Plan
	After   text.Text
	Rebased bool          // the plan is for a newer text than the command was
	To      paths.Target  // of a rename
	Pins    *history.Pins // the places in histories that the command needs
	// WithOthers: the change is one of several, so an editor that reports its edits must report this one.
	WithOthers bool
	// MustBeNew: the file must not exist yet.
	MustBeNew bool
	// repairs: the change takes out what the editor did wrong.
	repairs bool
}

// Failure returns an error about the document of a change.
func (j *Change) Failure(kind edits.Kind, format string, args ...any) error {
	return edits.ErrorIn(kind, j.Path, format, args...)
}

// Outcome is the result of a change that was made: Doc, the editor's own text, shows the edit.
// Doc is nil if the editor took the edit and never opened the file, and after a deletion.
type Outcome struct {
	Change  *Change  // as it landed, which may be on a newer text than it was planned on
	Landing *Landing // nil if the editor's text was not seen to change
	Doc     *workspace.Document
	OnDisk  bool // the editor had the file closed, and has written it
	Deleted bool // the file was deleted, and seen to go
}

// OpenedToEdit reports whether the editor opened the file to make the edit, and so may have reported it with the edit made.
func (l Outcome) OpenedToEdit() bool {
	return l.Change.Kind == editor.Update && l.Change.Doc == nil && l.Landing != nil && l.Doc != nil && l.Doc.Disk.Equal(l.Landing.Text)
}

// SavedBy reports whether the editor has written the file with the edit, as
// Kakoune does with files that are closed or hidden (hazard: writes-to-disk).
func (l Outcome) SavedBy(open, dirty bool) bool {
	if l.OnDisk || l.Doc == nil || l.Landing == nil || !open || dirty {
		return l.OnDisk
	}
	return l.Change.Doc == nil || !l.Doc.Disk.Equal(l.Landing.Text)
}

// DiskNotes describes how the file of a document with unsaved changes since the landing
// differs from what the editor opened or saved last.
func (l Outcome) DiskNotes(t paths.Target) []string {
	if t.Abs == "" || l.Doc.History == nil {
		return nil
	}
	same, exists := l.Doc.SameOnDisk(t)
	if l.OpenedToEdit() {
		same, exists = paths.SameOnDisk(t, l.Change.Text)
	}
	if !same && l.Doc.InFile != nil { // the editor has opened it with unsaved text, and nothing else has written it
		same, _ = paths.SameOnDisk(t, *l.Doc.InFile)
	}
	switch {
	case same || !exists && !l.Doc.DiskChanged:
		return nil
	case !exists:
		return []string{fmt.Sprintf("%s was deleted on disk by another program; it is in the editor alone.", t.Path)}
	}
	return []string{fmt.Sprintf("%s on disk is another text than the one that the editor opened or saved last: another program has written it, or the editor had unsaved text when it told of the file. Saving would overwrite that; compare the two first.", t.Path)}
}

// Late returns the outcome of a change for which [Engine.Apply] has failed after sending it, and which the editor may have
// made since. made reports whether a document or a file shows the change. It is false for a change that only deletes text
// from an open document, since the user may have deleted that text.
func (j *Change) Late(w *workspace.Workspace, c *editor.Editor) (l Outcome, made bool) {
	doc, made := j.madeLate(w, c)
	l = Outcome{Change: j, Doc: cmp.Or(doc, &workspace.Document{Key: j.Key, URI: j.URI, Text: j.After})}
	if doc != nil {
		l.Landing = &Landing{Own: changeset.Of(j.Plan.Edits, j.Text), Text: j.After, Was: j.Text, From: -1, Seq: doc.Seq}
		if j.Doc != nil {
			l.Landing.From = j.Doc.Seq
		}
	}
	return l, made
}

// madeLate reports whether a change was made late, and returns the document that shows it, if any.
func (j *Change) madeLate(w *workspace.Workspace, c *editor.Editor) (doc *workspace.Document, made bool) {
	switch j.Kind {
	case editor.Delete:
		if c.Quirks.Announces {
			return nil, j.Doc != nil && !w.IsOpen(j.Key)
		}
		return nil, !paths.Listed(j.Abs)
	case editor.Rename:
		doc = w.Documents.Get(j.To.Key)
		return doc, doc != nil || paths.Listed(j.To.Abs) && !paths.Listed(j.Abs)
	}
	inserts := func(ch changeset.Change) bool { return ch.New != "" }
	if j.Kind == editor.Update && j.Doc != nil && !slices.ContainsFunc(changeset.Of(j.Plan.Edits, j.Text), inserts) {
		return nil, false
	}
	snap, err := w.Terse().Read(j.Target)
	return snap.Doc, err == nil && text.Same(snap.Text, j.After, j.Doc == nil) && (j.Kind == editor.Create || !snap.Text.Equal(j.Text))
}

// IsAsBefore reports whether the file of a change is as it was before the change.
func (j *Change) IsAsBefore(w *workspace.Workspace) bool {
	snap, err := w.Terse().Read(j.Target)
	if j.Kind == editor.Create {
		return edits.IsKind(err, edits.FileNotFound)
	}
	return err == nil && snap.Text.Equal(j.Text)
}
