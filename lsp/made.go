package lsp

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// mostMade is how many edits of agents are remembered; the oldest go first.
const mostMade = 1000

// made are the edits that agents have made and that can be taken back, the
// oldest first. What they did to a text is in that document's history; here is
// which documents they are about. It is safe for concurrent use.
type made struct {
	mu    sync.Mutex
	count int
	all   []*madeEdit
}

// madeEdit is one command's edit of one text or, for a patch, of several.
type madeEdit struct {
	id      string
	command string
	steps   []madeStep // in the order in which they were applied
}

// madeStep is what an edit did to one document.
type madeStep struct {
	kind   string
	target workspace.Target // under the name that the document has by now
	was    workspace.Target // of a renaming: the name that it had before
	given  string           // how results call it
	text   text.Text        // of a file that was made, or was deleted
	bom    bool
	unseen bool // the editor took the edit and shows the text to nobody
}

// add remembers an edit, which was done in these landings, and returns its id.
func (m *made) add(s *server, command string, landings ...landed) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	e := &madeEdit{id: fmt.Sprintf("e%d", m.count), command: command}
	for _, l := range landings {
		e.steps = append(e.steps, s.recorded(e.id, l))
		if l.job.kind == changeRename {
			m.renamed(e, l.job.Key, l.job.to)
		}
	}
	if m.all = append(m.all, e); len(m.all) > mostMade {
		m.all = slices.Delete(m.all, 0, 1)
	}
	return e.id
}

// recorded enters a landing into the history of its document.
func (s *server) recorded(id string, l landed) madeStep {
	j := l.job
	st := madeStep{kind: j.kind, target: j.Target, given: j.Path, bom: j.BOM}
	switch j.kind {
	case changeCreate:
		st.text = j.after
	case changeDelete:
		st.text = j.Text
	case changeRename:
		st.target, st.was = j.to, j.Target
		s.docs.Renamed(j.Key, j.to.Key)
	default:
		st.unseen = l.doc == nil
		if l.openedToEdit() {
			s.docs.SetDisk(j.Key, l.how.text, j.Text)
		}
		if err := s.attribute(id, l); err != nil {
			s.log.Warn("an edit cannot be undone", "edit", id, "error", err)
		}
	}
	return st
}

// attribute says in the history of a document that an edit was an agent's.
func (s *server) attribute(id string, l landed) error {
	if l.how != nil && l.how.from >= 0 {
		l.doc.History.Mark(l.how.from, l.how.was.Hash()) // as it was shown while it was closed
		return l.doc.History.Attribute(l.how.from, l.how.seq, id, l.how.before, l.how.own, l.how.rest)
	}
	h, seq, own, err := s.unseen(l)
	switch {
	case err != nil:
		return err
	case seq == 0:
		h.AttributeBase(id, own)
		return nil
	}
	return h.Attribute(seq-1, seq, id, nil, own, nil)
}

// unseen returns where in the history of its document an edit is whose text was
// seen before and after, and not on the way.
func (s *server) unseen(l landed) (h *workspace.History, seq int, own edits.Changeset, err error) {
	j := l.job
	own = j.plan.Edits.On(j.Text)
	switch {
	case l.doc != nil && l.doc.History != nil && l.doc.History.Seq() == 0:
		return l.doc.History, 0, own, nil
	case l.doc != nil && l.doc.History != nil:
		return l.doc.History, l.how.seq, l.how.own, nil
	}
	if h = s.docs.CatchUp(j.Key, j.Text); h == nil {
		return nil, 0, nil, errors.New("the file was opened meanwhile")
	}
	seq = h.Record(own, j.after)
	return h, seq, own, nil
}

// renamed takes in that the documents of edits have another name now. It needs
// the lock.
func (m *made) renamed(last *madeEdit, from workspace.Key, to workspace.Target) {
	for _, e := range append(slices.Clip(m.all), last) {
		for i := range e.steps {
			if e.steps[i].target.Key == from && e.steps[i].kind != changeDelete {
				e.steps[i].target = to
			}
		}
	}
}

// remove forgets an edit.
func (m *made) remove(e *madeEdit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = slices.DeleteFunc(m.all, func(o *madeEdit) bool { return o == e })
}

// list returns the edits, the oldest first.
func (m *made) list() []*madeEdit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// find returns the edit with that id, or else the newest of the document that is
// called identity, or of all where that is "". It is nil if there is none.
func (m *made) find(id string, identity workspace.Key) *madeEdit {
	for _, e := range slices.Backward(m.list()) {
		switch {
		case id != "" && e.id != id:
		case identity == "" || slices.Contains(e.texts(), identity):
			return e
		}
	}
	return nil
}

// texts returns what the edit's documents take turns under.
func (e *madeEdit) texts() []workspace.Key {
	var keys []workspace.Key
	for _, st := range e.steps {
		keys = append(keys, st.target.Identity())
		if st.kind == changeRename {
			keys = append(keys, st.was.Identity())
		}
	}
	return keys
}
