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

// MaxRemembered is how many edits of agents are remembered; the oldest go first.
const MaxRemembered = 1000

// Log are the edits that agents have made and that can be taken back, the
// oldest first. The log says which documents they changed; the histories of the documents have the
// changes. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	count int
	all   []*Edit
}

// Edit is one command's edit of one text or, for a patch, of several. It is not
// changed once it is remembered.
type Edit struct {
	ID      string
	Command string
	Agent   string    // as it calls itself
	At      time.Time // when it was remembered
	Steps   []Step    // in the order in which they were applied
}

// Step is what an edit did to one document.
type Step struct {
	Number int          // in the edit, which may have lost others
	Change string       // as results call it
	Target paths.Target // under the name that the document has by now
	Was    paths.Target // of a renaming: the name that it had before
	Given  string       // how results call it
	Text   text.Text    // of a file that was made, or was deleted
	BOM    bool         // the text begins with a byte order mark, which Text is without
	Unseen bool         // the editor took the edit and did not open the file
	// Hunks is how many the answer has of the file, and before of the files above it:
	// those that follow are numbered on.
	Hunks, Before int
}

// Add remembers an edit of so many steps, and returns its id. record enters a step, counted
// from 0, into the history of its document. The log is locked meanwhile, so an edit that is in a
// history is also in the log. forget is told which edit is not remembered any more.
func (m *Log) Add(command, agent string, steps int, record func(id string, step int) Step, forget func(*Edit)) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	e := &Edit{ID: fmt.Sprintf("e%d", m.count), Command: command, Agent: agent, At: time.Now()}
	for i := range steps {
		st := record(e.ID, i)
		st.Number = i
		e.Steps = append(e.Steps, st)
		if st.Change == editor.Rename {
			m.renamed(st.Was.Key, st.Target)
			e = e.renamed(st.Was.Key, st.Target)
		}
	}
	if m.all = append(m.all, e); len(m.all) > MaxRemembered {
		forget(m.all[0])
		m.all = slices.Delete(m.all, 0, 1)
	}
	return e.ID
}

// Rename records that a document of edits has another name now.
func (m *Log) Rename(from paths.Key, to paths.Target) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renamed(from, to)
}

// renamed is [Log.Rename] with the lock held.
func (m *Log) renamed(from paths.Key, to paths.Target) {
	for i, e := range m.all {
		m.all[i] = e.renamed(from, to)
	}
}

// renamed returns the edit with another name of a document. Others may be reading e.
func (e *Edit) renamed(from paths.Key, to paths.Target) *Edit {
	now := *e
	now.Steps = slices.Clone(e.Steps)
	for i, st := range now.Steps {
		if st.Target.Key == from && st.Change != editor.Delete {
			now.Steps[i].Target = to
		}
	}
	return &now
}

// Remove forgets a step of an edit, and the edit where it has no other.
func (m *Log) Remove(id string, step int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.all, func(e *Edit) bool { return e.ID == id })
	if i < 0 {
		return
	}
	left := *m.all[i] // others may be reading it
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

// Find returns the edit with that id, or else the newest of the document that is
// called identity, or of all where that is "". It is nil if there is none.
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

// Texts returns what the edit's documents take turns under.
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

// Hunks is how many the edit had when it was made.
func (e *Edit) Hunks() int {
	n := 0
	for _, st := range e.Steps {
		n += st.Hunks
	}
	return n
}
