package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// fewSteps is up to how many steps any run of them may be the edit: more are looked
// at one by one and as a whole.
const fewSteps = 16

// textState is the text before a step, and all that was told by then.
type textState struct {
	text      text.Text
	sinceBase changeset.Changeset
}

// steps takes in the steps of one didChange. An edit in several places may be as
// many steps, or fewer; it may be in several didChanges as well.
func (m *observer) steps(doc *workspace.Document, steps []workspace.Step) {
	if m.isJustTheEdit(steps) {
		m.takeAsEdit(doc, steps)
		return
	}
	begin := len(m.states)
	m.hadEarlier = len(m.sinceBase) > 0
	for i, st := range steps {
		m.take(doc, st)
		if m.landing != nil || m.discarded || m.saysVersions {
			continue
		}
		if l := m.landingOf(doc, st, i == len(steps)-1 || len(steps) <= fewSteps); l != nil && !m.isTransient(l) {
			if m.mayDrop && isMoved(l.Own, steps[i+1:]) && !m.isProven(l.Own) {
				m.doubt = true
				continue
			}
			m.landAt(l)
			m.states = nil
			m.steps(doc, steps[i+1:])
			return
		}
	}
	if m.landing == nil && !m.exact {
		m.findMisplaced(m.states[begin:], steps)
	}
	if keep := max(len(m.edit), fewSteps); len(m.states) > keep {
		m.states = m.states[len(m.states)-keep:]
	}
}

// take takes in one step, whoever made it.
func (m *observer) take(doc *workspace.Document, st workspace.Step) {
	m.parts.take(m.now, st)
	if m.withoutNewest != nil && st.Text.Equal(*m.withoutNewest) {
		m.parts.mayBeUndo = true // by the user, and the edit may do the same
	}
	m.states = append(m.states, textState{m.now, m.sinceBase})
	m.now, m.sinceBase = st.Text, m.sinceBase.Then(st.Change)
	m.sawPlanned = m.sawPlanned || m.exact && st.Text.Equal(m.change.After)
	m.bytesPut += putIn(st.Change)
	for k := range m.misplaced {
		m.misplaced[k].since = m.misplaced[k].since.Then(st.Change)
	}
	if m.saysVersions {
		m.versioned = append(m.versioned, versionedStep{st, doc})
	}
}

// isJustTheEdit reports whether many steps that were told at once are the edit, since
// nothing else was told before and what they come to is the planned text. Looked at one
// by one they would cost their number squared.
func (m *observer) isJustTheEdit(steps []workspace.Step) bool {
	fresh := m.landing == nil && !m.discarded && !m.saysVersions && !m.rejected && len(m.sinceBase)+len(m.states)+len(m.misplaced) == 0
	return fresh && len(steps) > fewSteps && len(m.edit) > fewSteps && steps[len(steps)-1].Text.Equal(m.change.After)
}

// takeAsEdit takes in steps that are just the edit.
func (m *observer) takeAsEdit(doc *workspace.Document, steps []workspace.Step) {
	last := steps[len(steps)-1]
	for _, st := range steps {
		m.parts.steps = append(m.parts.steps, st.Change)
	}
	own := m.ownOf(last.Text)
	m.now, m.sinceBase, m.parts.remaining = last.Text, own, nil
	m.landAt(&Landing{doc: doc, Own: own, Text: last.Text, Seq: last.Seq})
}

// landingOf returns how the edit is there after the step, the last one that was taken
// in; nil if it is not, or if the user may have made that change. With loose, line ends of
// another kind are looked for: that is a look at all of the text.
func (m *observer) landingOf(doc *workspace.Document, st workspace.Step, loose bool) *Landing {
	if text.Same(st.Text, m.change.After, m.loose && loose) {
		return m.landingAsPlanned(doc, st)
	}
	if m.exact {
		return nil
	}
	for i, past := range slices.Backward(m.states) {
		n := len(m.states) - i // steps that may be the edit
		if n > fewSteps && n != len(m.edit) {
			continue
		}
		if own, ok := m.rebase(past, m.now); ok {
			return m.unlessDoubtful(&Landing{doc: doc, Before: past.sinceBase, Own: own, Text: m.now, Seq: st.Seq})
		}
	}
	return nil
}

// landingAsPlanned is landingOf for a step that leaves the planned text.
func (m *observer) landingAsPlanned(doc *workspace.Document, st workspace.Step) *Landing {
	told := m.states[len(m.states)-1].sinceBase
	switch {
	case m.exact && m.bytesPut > putIn(m.sinceBase):
		// The user has typed and deleted that again, so the edit was not for this version. What
		// it was to delete they may have deleted with that.
		m.doubt = m.doubt || !m.isProven(m.ownOf(st.Text))
		return nil
	case m.mayDrop && m.hadEarlier && len(m.edit) == 1 && m.change.Doc != nil && !m.isProven(m.ownOf(st.Text)):
		// One edit in one place is told at once. So the user has passed through the planned text,
		// as by cutting lines and opening a new one, and the edit may have been dropped.
		m.doubt = true
		return nil
	case !m.exact && len(told) > 0 && len(m.edit) == 1 && m.change.Doc != nil && deleted(told) != -told.Delta():
		// What was typed is in the range that the edit replaced, and is not there any more.
		// What was only taken out is the edit's own: some tell of it in two steps.
		return m.unlessDoubtful(&Landing{doc: doc, Before: told, Own: st.Change, Text: st.Text, Seq: st.Seq})
	}
	return &Landing{doc: doc, Own: m.ownOf(st.Text), Text: st.Text, Seq: st.Seq}
}

// unlessDoubtful returns a landing behind changes of the user if only the editor can have
// made it; else it leaves a doubt. A user who joins, moves or reflows lines, or pastes
// what was cut, makes a change that puts a text in and another that takes the same text
// out, and an editor may tell of them one by one.
func (m *observer) unlessDoubtful(l *Landing) *Landing {
	if m.isProven(l.Own, l.Before) {
		return l
	}
	m.doubt = true
	return nil
}

// isMoved reports whether steps put in elsewhere what the edit took out, a word of it at
// least. Told at once with it they may be a user's act, and the edit was dropped: a line is
// moved in one change that deletes it and one that puts it in.
func isMoved(own changeset.Changeset, steps []workspace.Step) bool {
	putsIn := func(s string) bool {
		return slices.ContainsFunc(steps, func(st workspace.Step) bool {
			return slices.ContainsFunc(st.Change, func(ch changeset.Change) bool { return strings.Contains(ch.New, s) })
		})
	}
	return slices.ContainsFunc(own, func(ch changeset.Change) bool {
		whole := strings.TrimSpace(ch.Old)
		return whole != "" && (putsIn(whole) || slices.ContainsFunc(strings.Fields(whole), func(word string) bool {
			return len(word) >= MinProof && putsIn(word)
		}))
	})
}

// landAt takes in that the edit has landed.
func (m *observer) landAt(l *Landing) {
	l.Was, l.From = m.was, m.from
	m.landing, m.doubt = l, false
	m.change.Pins.Pin(l.doc.History, l.Seq)
}

// isTransient reports whether the planned text was there only for a moment, while the user
// was undoing. We take it for that where the editor refused the edit and the landing consists
// of deletions alone.
func (m *observer) isTransient(l *Landing) bool {
	return m.rejected && (m.exact || !isLongInsertion(l.Own) && !l.doc.Text.Equal(l.Text))
}

// findMisplaced looks among steps, of which before are the states, for runs that make
// the edit where it does not belong, the longest first. Only what is proven to be the
// editor's doing counts, since it is going to be taken out again.
func (m *observer) findMisplaced(before []textState, steps []workspace.Step) {
	for i := 0; i < len(steps); i++ {
		if !m.discarded && before[i].text.Equal(m.was) {
			continue // there it would belong
		}
		es, ok := m.change.sentOn(before[i].text, m.encoding)
		for j := len(steps); ok && j > i; j-- {
			if n := j - i; n > fewSteps && n != len(steps) || !isMisplacedEdit(before[i].text, es, steps[j-1].Text) {
				continue
			}
			s := misplacedEdit{}
			for _, st := range steps[i:j] {
				s.change = s.change.Then(st.Change)
			}
			for _, st := range steps[j:] {
				s.since = s.since.Then(st.Change)
			}
			if m.isProven(s.change, before[i].sinceBase, changeset.Difference(m.was, before[i].text)) {
				m.misplaced = append(m.misplaced, s)
			} else {
				m.doubt = true
			}
			i = j - 1
			break
		}
	}
}

// putIn is how many bytes the changes put in, without line ends: some editors put one in
// and take it out again to make an edit at the end of a text.
func putIn(c changeset.Changeset) int {
	n := 0
	for _, ch := range c {
		n += len(ch.New) - strings.Count(ch.New, "\n") - strings.Count(ch.New, "\r")
	}
	return n
}

// deleted is how many bytes the changes delete.
func deleted(c changeset.Changeset) int {
	n := 0
	for _, ch := range c {
		n += len(ch.Old)
	}
	return n
}

// isMisplacedEdit reports whether now is was with all of the edit made where its lines and
// characters say, which is es. An edit of which a part was there already is none: an editor
// may be on its way, from the last place to the first.
func isMisplacedEdit(was text.Text, es edits.Edits, now text.Text) bool {
	return insertsAll(was, es) && makes(es, was, now) && !was.Equal(now)
}

// makes reports whether the edits make now of was. Behind the last line editors differ
// about the line ends around what is put there, and put one where there is nothing to
// be deleted.
func makes(es edits.Edits, was, now text.Text) bool {
	far := was.Len() + es.Delta() - now.Len()
	if far == 0 {
		return es.Apply(was).Equal(now)
	}
	if max(far, -far) > 2*len("\r\n") {
		return false
	}
	made := changeset.Difference(was, now)
	if !isLongInsertion(made) { // of what was only deleted, so much tells nothing
		return false
	}
	trim := func(s string) string { return strings.Trim(s, "\r\n") }
	alike := func(a, b changeset.Change) bool { return trim(a.Old) == trim(b.Old) && trim(a.New) == trim(b.New) }
	return trim(es.Apply(was).String()) == trim(now.String()) ||
		es[len(es)-1].End == was.Len() && slices.EqualFunc(changeset.Of(es, was), made, alike)
}

// insertsAll reports whether none of the edits writes what is there already. What
// one of them deletes may be less in another place, or nothing.
func insertsAll(t text.Text, es edits.Edits) bool {
	return !slices.ContainsFunc(es, func(e edits.Edit) bool {
		return e.New != "" && t.Slice(e.Start, e.End) == e.New
	})
}
