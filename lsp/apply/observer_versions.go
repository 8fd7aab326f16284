package apply

import (
	"github.com/patchls/patchls/edits/changeset"
)

// Text alone does not tell who made a change: a user who joins two lines deletes a
// line just as an agent does. So our plugins say in their answer to an applyEdit which
// of the document's changes the edit was, and the server need not infer it.

// versions are those of a document before and after an edit: every didChange with a
// version above Before, up to After, is a part of the edit, and no other is.
type versions struct {
	Before int32 `json:"before"`
	After  int32 `json:"after"`
}

// attribute divides the changes since the text planned on as the editor's answer says:
// those before the edit, the edit, and those after it. It returns true once the whole edit
// has been reported. If it returns false, call it again after the next didChange.
func (m *observer) attribute(v versions) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.newest == nil || m.newest.Version < v.After || m.landing != nil || len(m.misplaced) > 0 {
		return m.landing != nil || len(m.misplaced) > 0
	}
	var before, own changeset.Changeset
	var last step
	after := 0
	for i, st := range m.timeline {
		switch version := st.doc.Version; {
		case version <= v.Before:
			before = before.Then(st.Change)
		case version <= v.After:
			own, last, after = own.Then(st.Change), st, i+1
		}
	}
	if last.doc == nil {
		return true // the edit changed nothing
	}
	switch {
	case m.isPlanned(before, last.Text):
	case m.closed: // the edit was made in the document that was opened since
		m.misplaced = []misplacedEdit{{own, after}}
		return true
	default: // the edit was made in its version, so that version had another text than reported
		m.desynced = true
		return true
	}
	if len(before) == 0 {
		own = m.ownOf(last.Text)
	}
	m.landAt(&Landing{doc: last.doc, Before: before, Own: own, Text: last.Text, Seq: last.Seq})
	return true
}
