package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
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

// MaxDiff is the number of changed bytes up to which an answer or a question has a diff. A larger diff is of no
// use to an agent or the user, and costs more than the edit.
const MaxDiff = 1 << 20

// Size returns how many bytes the change removes and inserts.
func (j *Change) Size() int {
	_, es := j.onDisk()
	return lists.Sum(es, func(e edits.Edit) int { return e.End - e.Start + len(e.New) })
}

// Diff returns changes, each of one file, as a unified diff. If one file needs git's own headers, all files get them: git
// takes what follows a part with such a header and no hunk for more of that part.
func Diff(changes ...*Change) string {
	git := slices.ContainsFunc(changes, func(c *Change) bool {
		_, es := c.onDisk()
		return c.Kind == editor.Rename || len(es) == 0
	})
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(c.diff(git))
	}
	return b.String()
}

func (j *Change) diff(git bool) string {
	from, to := "a/"+j.Path, "b/"+j.Path
	if j.Kind == editor.Rename {
		to = "b/" + j.To.Path
	}
	header := []string{"diff --git " + diff.QuotedName(from) + " " + diff.QuotedName(to)}
	switch j.Kind {
	case editor.Rename:
		header = append(header, "rename from "+diff.QuotedName(j.Path), "rename to "+diff.QuotedName(j.To.Path))
	case editor.Create:
		from = "/dev/null"
		header = append(header, "new file mode 100644")
	case editor.Delete:
		to = "/dev/null"
		header = append(header, "deleted file mode 100644")
	}
	if !git {
		header = nil
	}
	t, es := j.onDisk()
	return diff.Unified(from, to, t, es.Apply(t), es, header...)
}

// onDisk returns the text on disk, as far as the editor has it, and the edits of it. The
// byte order mark, which the editor does not have, stays.
func (j *Change) onDisk() (text.Text, edits.Edits) {
	t, es, mark := j.Text, j.Plan.Edits, 0
	if j.BOM {
		t, mark = text.New(text.BOM+t.String()), len(text.BOM)
	}
	switch {
	case j.Kind != editor.Delete && j.Text.Len() == 0 && j.After.Len() > 0: // the plan may insert less, if an empty buffer has a newline
		es = edits.Edits{{New: j.After.String()}}
	case j.Kind == editor.Delete && t.Len() > 0:
		return t, edits.Edits{{End: t.Len()}}
	case j.Kind == editor.Create || j.Kind == editor.Delete:
		es = nil
	}
	return t, es.Shifted(mark)
}

// Failure returns an error about the document of a change.
func (j *Change) Failure(kind edits.Kind, format string, args ...any) error {
	return &edits.Error{Kind: kind, Path: j.Path, Message: fmt.Sprintf(format, args...)}
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
