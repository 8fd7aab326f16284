package review

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace/paths"
)

// MaxRemembered is the maximum number of edits in a log; the oldest are dropped first.
const MaxRemembered = 1000

// Log holds the edits that agents have made and that can be taken back, the oldest first. The log records which documents
// they changed; the changes themselves are in the histories of the documents. It is safe for concurrent use.
type Log struct {
	Tag string // ends each id; set before the first edit

	mu    sync.Mutex
	count int
	all   []*Edit
}

// Edit is one command's edit of one text or, for a patch, of several. It does not change after it is added to a log.
type Edit struct {
	ID      string
	Command string
	Agent   string    // the name that the agent gave itself
	At      time.Time // when the edit was added
	Steps   []Step    // in the order in which they were applied
}

// Step is what an edit did to one document.
type Step struct {
	Number    int          // from 0; other steps of the edit may have been removed
	Change    string       // the kind of the change in results
	Target    paths.Target // the document, under its current name
	Was       paths.Target // for a rename: the document's name before it
	ShownPath string       // the name of the document in results
	Text      text.Text    // the text of a file that was created or deleted
	BOM       bool         // the file begins with a byte order mark, which Text leaves out
	Unseen    bool         // the editor accepted the edit without opening the file
	// Hunks is the number of hunks that the answer has for this file, and Before the number that
	// it has for the files above. Hunks are numbered through all files.
	Hunks, Before int
}

// NewID returns the id of a new edit, which the histories of its documents have before the log has the edit.
func (m *Log) NewID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	return fmt.Sprintf("e%d%s", m.count, m.Tag)
}

// Add adds an edit, and takes ownership of it. If the log drops its oldest edit, Add calls forget with that.
func (m *Log) Add(e *Edit, forget func(*Edit)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.At = time.Now()
	if m.all = append(m.all, e); len(m.all) > MaxRemembered {
		forget(m.all[0])
		m.all = slices.Delete(m.all, 0, 1)
	}
}

// Rename records that a document has a new name.
func (m *Log) Rename(from paths.Key, to paths.Target) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range m.all {
		m.all[i] = e.Renamed(from, to)
	}
}

// Renamed returns a copy of e with a new name for a document. Other goroutines may be reading e.
func (e *Edit) Renamed(from paths.Key, to paths.Target) *Edit {
	now := *e
	now.Steps = slices.Clone(e.Steps)
	for i, st := range now.Steps {
		if st.Target.Key == from && st.Change != editor.Delete {
			now.Steps[i].Target = to
		}
	}
	return &now
}

// Remove removes a step of an edit, and the edit itself if that was its last step.
func (m *Log) Remove(id string, step int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.all, func(e *Edit) bool { return e.ID == id })
	if i < 0 {
		return
	}
	left := *m.all[i] // a copy: other goroutines may be reading the edit
	left.Steps = slices.DeleteFunc(slices.Clone(left.Steps), func(st Step) bool {
		return st.Number == step
	})
	if m.all[i] = &left; len(left.Steps) == 0 {
		m.all = slices.Delete(m.all, i, i+1)
	}
}

// List returns the edits, the oldest first.
func (m *Log) List() []*Edit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// Find returns the newest edit that has the id and is about the document identity. Either
// may be "", and then any edit matches it. Find returns nil if there is no such edit.
func (m *Log) Find(id string, identity paths.Key) *Edit {
	for _, e := range slices.Backward(m.List()) {
		switch {
		case id != "" && e.ID != id:
		case identity == "" || slices.Contains(e.Texts(), identity):
			return e
		}
	}
	return nil
}

// Texts returns the keys under which commands take turns for the edit's documents.
func (e *Edit) Texts() []paths.Key {
	var keys []paths.Key
	for _, st := range e.Steps {
		keys = append(keys, st.Target.Identity())
		if st.Change == editor.Rename {
			keys = append(keys, st.Was.Identity())
		}
	}
	return keys
}

// Hunks returns the number of hunks that the edit had when it was made.
func (e *Edit) Hunks() int {
	n := 0
	for _, st := range e.Steps {
		n += st.Hunks
	}
	return n
}
