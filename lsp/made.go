package lsp

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// maxRemembered is how many edits of agents are remembered; the oldest go first.
const maxRemembered = 1000

// made are the edits that agents have made and that can be taken back, the
// oldest first. What they did to a text is in that document's history; here is
// which documents they are about. It is safe for concurrent use.
type made struct {
	mu    sync.Mutex
	count int
	all   []*madeEdit
}

// madeEdit is one command's edit of one text or, for a patch, of several. It is not
// changed once it is remembered.
type madeEdit struct {
	id      string
	command string
	agent   string // as it calls itself
	at      time.Time
	steps   []madeStep // in the order in which they were applied
}

// madeStep is what an edit did to one document.
type madeStep struct {
	number int // in the edit, which may have lost others
	kind   string
	target paths.Target // under the name that the document has by now
	was    paths.Target // of a renaming: the name that it had before
	given  string       // how results call it
	text   text.Text    // of a file that was made, or was deleted
	bom    bool
	unseen bool // the editor took the edit and shows the text to nobody
	// hunks is how many the answer has of the file, and before of the files above it:
	// those that follow are numbered on.
	hunks, before int
}

// add remembers an edit of the caller, which was done in these landings, and returns
// its id.
func (m *made) add(s *caller, command string, landings ...landed) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	e := &madeEdit{id: fmt.Sprintf("e%d", m.count), command: command, agent: s.called(), at: time.Now()}
	for _, l := range landings {
		if l.job.holds != nil {
			l.job.holds.way.made(e.id)
		}
		st := s.recorded(e.id, l)
		st.number = len(e.steps)
		e.steps = append(e.steps, st)
		if l.job.kind == changeRename {
			m.renamed(l.job.Key, l.job.to)
			e = e.renamed(l.job.Key, l.job.to)
		}
	}
	if m.all = append(m.all, e); len(m.all) > maxRemembered {
		s.forget(m.all[0])
		m.all = slices.Delete(m.all, 0, 1)
	}
	return e.id
}

// forget has histories treat an edit, which nobody can name any more, like what anybody
// wrote: it is not marked, and takes no room of its own.
func (s *server) forget(e *madeEdit) {
	for _, st := range e.steps {
		if h := s.docs.History(st.target.Key); h != nil {
			h.Forget(e.id)
		}
	}
}

// recorded enters a landing into the history of its document.
func (s *server) recorded(id string, l landed) madeStep {
	j := l.job
	st := madeStep{kind: j.kind, target: j.Target, given: j.Path, bom: j.BOM, hunks: len(j.plan.Hunks), before: j.hunksBefore}
	switch j.kind {
	case changeCreate:
		st.text = j.after
		s.attributeFile(id, l)
	case changeDelete:
		st.hunks = 1
		st.text = j.Text
	case changeRename:
		st.target, st.was, st.hunks = j.to, j.Target, 0 // they are of the edit that comes with it
		s.docs.Renamed(j.Key, j.to.Key)
	default:
		st.unseen = l.doc == nil
		if l.openedToEdit() {
			s.docs.SetDisk(j.Key, l.how.text, j.Text)
		}
		if err := s.attribute(id, l); err != nil {
			s.log.WarnContext(j.holds.under(s.base), "an edit cannot be undone", "edit", id, "error", err)
		}
	}
	return st
}

// attributeFile says in the history of a document that an edit made its file. That is
// for its mark alone: what is undone is the file.
func (s *server) attributeFile(id string, l landed) {
	if l.doc == nil || l.doc.History != nil && s.attribute(id, l) == nil {
		return
	}
	j := l.job
	h := s.docs.CatchUp(j.Key, j.after) // the editor may tell of it later
	if h == nil {
		h = s.docs.History(j.Key)
	}
	switch seq := h.Seq(); {
	case !h.Text().Equal(j.after):
	case seq == 0:
		h.AttributeBase(id, edits.Changeset{{New: j.after.String()}})
	default: // there was one of that name before
		if c, ok := h.SinceSeq(seq - 1); ok {
			_ = h.Attribute(seq-1, seq, id, nil, c, nil, 1)
		}
	}
}

// attribute says in the history of a document that an edit was an agent's.
func (s *server) attribute(id string, l landed) error {
	numbers := l.job.plan.HunkNumbers(l.job.Text)
	if l.how != nil && l.how.from >= 0 {
		l.doc.History.Mark(l.how.from, l.how.was.Hash()) // as it was shown while it was closed
		return l.doc.History.Attribute(l.how.from, l.how.seq, id, l.how.before, l.how.own, nil, numbers...)
	}
	h, seq, own, err := s.unseen(l)
	switch {
	case err != nil:
		return err
	case seq == 0:
		h.AttributeBase(id, own, numbers...)
		return nil
	}
	return h.Attribute(seq-1, seq, id, nil, own, nil, numbers...)
}

// unseen returns where in the history of its document an edit is whose text was
// seen before and after, and not on the way.
func (s *server) unseen(l landed) (h *history.History, seq int, own edits.Changeset, err error) {
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

// rename takes in that a document of edits has another name now.
func (m *made) rename(from paths.Key, to paths.Target) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renamed(from, to)
}

// renamed is rename with the lock held.
func (m *made) renamed(from paths.Key, to paths.Target) {
	for i, e := range m.all {
		m.all[i] = e.renamed(from, to)
	}
}

// renamed returns the edit with another name of a document. Others may be reading e.
func (e *madeEdit) renamed(from paths.Key, to paths.Target) *madeEdit {
	now := *e
	now.steps = slices.Clone(e.steps)
	for i, st := range now.steps {
		if st.target.Key == from && st.kind != changeDelete {
			now.steps[i].target = to
		}
	}
	return &now
}

// remove forgets a step of an edit, and the edit where it has no other.
func (m *made) remove(id string, step int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.all, func(e *madeEdit) bool { return e.id == id })
	if i < 0 {
		return
	}
	left := *m.all[i] // others may be reading it
	left.steps = slices.DeleteFunc(slices.Clone(left.steps), func(st madeStep) bool {
		return st.number == step
	})
	if m.all[i] = &left; len(left.steps) == 0 {
		m.all = slices.Delete(m.all, i, i+1)
	}
}

// list returns the edits, the oldest first.
func (m *made) list() []*madeEdit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// find returns the edit with that id, or else the newest of the document that is
// called identity, or of all where that is "". It is nil if there is none.
func (m *made) find(id string, identity paths.Key) *madeEdit {
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
func (e *madeEdit) texts() []paths.Key {
	var keys []paths.Key
	for _, st := range e.steps {
		keys = append(keys, st.target.Identity())
		if st.kind == changeRename {
			keys = append(keys, st.was.Identity())
		}
	}
	return keys
}
