package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// Workspace is what a command sees: the documents, and the policy at this moment.
type Workspace struct {
	Documents *Documents
	Policy    paths.Policy
	Names     *Names // by which a command finds them; nil: each look is a new one
	AnyCase   bool   // if there is no file of a name, it may be that of a file in another case
}

// Snapshot is a text at one moment, and its origin.
type Snapshot struct {
	paths.Target
	Doc    *Document // nil if no editor has the document open
	Exists bool      // open, or a file on disk
	Text   text.Text // as the editor has it, or would have it after opening: without a byte order mark
	BOM    bool      // the file, which is closed, begins with a byte order mark
}

// Notes returns what an agent needs to be told about the text: a notebook that is closed is read and edited as JSON.
func (s Snapshot) Notes() []string {
	if s.Doc == nil && strings.EqualFold(filepath.Ext(s.Path), ".ipynb") {
		return []string{fmt.Sprintf("%s is a notebook: this is its JSON, in which each line of a cell is a string.", s.Path)}
	}
	return nil
}

// Between returns the changes from one snapshot of a document to another. They are taken from
// the history if the document was open all the time, and otherwise are the difference of the texts.
func Between(was, now Snapshot) changeset.Changeset {
	if was.Doc != nil && now.Doc != nil && was.Doc.History == now.Doc.History {
		c, ok := now.Doc.History.SinceSeq(was.Doc.Seq)
		if then, valid := c.Apply(was.Text); ok && valid && then.Equal(now.Text) {
			return c
		}
	}
	return changeset.Difference(was.Text, now.Text)
}

// IsOpen reports whether an editor has the document open.
func (w *Workspace) IsOpen(key paths.Key) bool { return w.Documents.Get(key) != nil }

// Resolve turns a command's path into a target that agents may access, see [paths.Policy.Resolve]. If the editor has the
// file open under another name, by a link or in other case, the target is the open document. If there is no such file, it is
// the one whose name looks the same, see [paths.Policy.Alike].
func (w *Workspace) Resolve(path string) (paths.Target, error) {
	t, err := w.Policy.Resolve(path, w.opened)
	if err != nil {
		return t, err
	}
	if open := w.AsOpen(t); open.Key != t.Key {
		open.Guarded = t.Guarded // by the name that the command has given
		return w.Reach(open, paths.Access)
	}
	if t.Abs == "" || w.IsOpen(t.Key) {
		return t, nil
	}
	same := w.Policy.Alike(t, w.AnyCase)
	switch len(same) {
	case 0:
		return t, nil
	case 1:
		return w.Resolve(same[0])
	}
	return t, edits.ErrorIn(edits.FileNotFound, t.Path, "Multiple files match %q with different casing. Please specify the exact path. They are %s.", path, strings.Join(same, ", "))
}

// AsOpen returns the target under the name by which the editor has its file open; t if it does not.
func (w *Workspace) AsOpen(t paths.Target) paths.Target {
	if t.Abs == "" || w.IsOpen(t.Key) {
		return t
	}
	names := cmp.Or(w.Names, new(Names))
	if key := names.find(t.Key, w.Documents); key != "" {
		return w.Policy.Target(key, w.IsOpen)
	}
	return t
}

// Names are the names of the open documents' files, as one command has found them: it looks at the disk once for each
// document. The zero Names are those of a command that begins. They are safe for concurrent use.
type Names struct {
	mu       sync.Mutex
	openings int // how many documents had been opened when they were looked at last
	index    paths.Index
}

// find returns the open document that is the file of k under another name; "" if there is none.
func (n *Names) find(k paths.Key, in *Documents) paths.Key {
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		var keys []paths.Key
		keys, n.openings = in.keys(n.openings)
		n.index.Add(keys...)
		i := n.index.Find(k)
		if i < 0 {
			return ""
		}
		if key := n.index.Keys[i]; in.Get(key) != nil {
			return key
		}
		n.openings, n.index = 0, paths.Index{} // it was closed since, and another document may be the same file
	}
}

// Reach asks whether an operation may reach a target now, and whether it is guarded, see [paths.Policy.Reach].
func (w *Workspace) Reach(t paths.Target, op paths.Operation) (paths.Target, error) {
	t, err := w.Policy.Reach(t, w.opened(t.Key), op)
	if err == nil {
		w.GuardGit(&t)
	}
	return t, err
}

// opened returns where the name of a document leads, as far as that is known; nil if it is not open.
func (w *Workspace) opened(key paths.Key) *paths.Opened {
	if doc := w.Documents.Get(key); doc != nil {
		return doc.Opened
	}
	return nil
}

// GuardGit sets Guarded of the targets that are to be changed, if they belong to a folder of git or would make one,
// see [paths.GuardGit].
func (w *Workspace) GuardGit(targets ...*paths.Target) {
	paths.GuardGit(func() []paths.Key { keys, _ := w.Documents.keys(0); return keys }, targets...)
}

// Terse returns w with errors that name no near paths, for a caller that does not show them: it saves a search of the roots.
func (w *Workspace) Terse() *Workspace {
	terse := *w
	terse.Policy.Terse = true
	return &terse
}

// Read returns the target as it is now: the mirror of an open document, else the file. A missing file is an error.
func (w *Workspace) Read(t paths.Target) (Snapshot, error) { return w.read(t, false) }

// ReadToEdit is Read for a target that is about to be edited.
func (w *Workspace) ReadToEdit(t paths.Target) (Snapshot, error) { return w.read(t, true) }

func (w *Workspace) read(t paths.Target, toEdit bool) (Snapshot, error) {
	doc := w.Documents.Get(t.Key) // before the place is looked at: a file that is put there later is not in its text
	t, err := w.Reach(t, paths.Access)
	if err != nil {
		return Snapshot{}, err
	}
	if doc != nil {
		if doc.Drift != "" {
			return Snapshot{}, edits.ErrorIn(edits.NotSettled, t.Path, "The text of %s here is out of step with the editor's (%s), so nothing was done; save the file in the editor, or close it and open it again.", t.Path, doc.Drift)
		}
		if why := w.Excess(doc); why != "" {
			return Snapshot{}, edits.ErrorIn(edits.TooLarge, t.Path, "%s is open in the editor, and nothing was done: %s. Edit it in the editor.", t.Path, why)
		}
		t.URI = doc.URI
		return Snapshot{Target: t, Doc: doc, Exists: true, Text: doc.Text}, nil
	}
	f, err := w.Policy.ReadClosed(t)
	if err == nil && toEdit {
		err = f.CheckWritable()
	}
	if err != nil {
		return Snapshot{}, err
	}
	return Snapshot{Target: t, Exists: true, Text: f.Text, BOM: f.BOM}, nil
}

// Unsaved reports whether the file of a document at place has another text, and whether the document has text that was never
// saved, or may have: its text is not known, or it is too large for its file to be read. The file may differ for another
// reason: another program wrote it and the editor is about to read it, or it has another encoding.
func (w *Workspace) Unsaved(place paths.Target, doc *Document) (dirty, unsaved bool) {
	excess := w.Excess(doc) != ""
	dirty = !excess && paths.IsDirty(place, doc.Text)
	switch {
	case !dirty && !excess && doc.Drift == "":
	case doc.Drift != "" || doc.DiskSeen() || doc.Unsaved():
		unsaved = doc.Drift != "" || doc.Unsaved()
	default:
		_, err := w.Terse().Policy.ReadClosed(place)                                 // the document is as it was opened
		isNew := edits.IsKind(err, edits.FileNotFound) && doc.Text.Len() > len("\n") // Vim shows an empty file as "\n"
		unsaved = err == nil || isNew || edits.IsKind(err, edits.TooLarge)
	}
	return dirty || unsaved, unsaved
}

// CheckNames returns an error if the file of t is open under another name, such as a link, and has unsaved text there.
func (w *Workspace) CheckNames(t paths.Target) error {
	for _, doc := range w.Documents.All() {
		if doc.Key == t.Key || paths.Find(t.Key, []paths.Key{doc.Key}) < 0 {
			continue
		}
		if _, unsaved := w.Unsaved(t, doc); unsaved {
			return edits.ErrorIn(edits.Stale, t.Path, "%s was not saved, moved or deleted: the same file is open as %s, and has unsaved text there; ask the user to save or close it there.",
				t.Path, w.Policy.Target(doc.Key, w.IsOpen).Path)
		}
	}
	return nil
}

// Excess says why a document is too large for commands. It returns "" if the document is not.
func (w *Workspace) Excess(doc *Document) string {
	limit := w.Policy.Limit()
	if int64(doc.Text.Len()) <= limit {
		return ""
	}
	return fmt.Sprintf("it has %d bytes, more than max_document_bytes (%d)", doc.Text.Len(), limit)
}

// At returns the text as it was when an agent was given rev for it, and what has
// happened to the text since. ok is false if that is not known any more.
func (s Snapshot) At(rev string) (was text.Text, since changeset.Changeset, ok bool) {
	if s.Doc == nil {
		return text.Text{}, nil, false
	}
	if since, ok = s.Doc.History.Since(rev); !ok {
		return text.Text{}, nil, false
	}
	was, ok = since.Invert().Apply(s.Text)
	return was, since, ok && text.IsHash(was.Hash(), rev)
}

// Mark says that an agent is given the rev of the text.
func (s Snapshot) Mark() {
	if s.Doc != nil {
		s.Doc.History.Mark(s.Doc.Seq, s.Text.Hash())
	}
}

// About completes a planning error with the path and rev of the snapshot that the plan was for.
func About(err error, snap Snapshot) error {
	var e *edits.Error
	if !errors.As(err, &e) || e.Rev != "" { // it is about an earlier text
		return err
	}
	full := *e
	full.Path, full.Rev = snap.Path, snap.Text.Hash()
	return &full
}
