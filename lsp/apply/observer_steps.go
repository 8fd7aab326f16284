package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/workspace"
)

// fewSteps is the number of steps up to which any run of them may be the edit. More steps
// are checked one by one and as a whole.
const fewSteps = 16

// maxSteps is how many steps of one didChange are checked one by one. More are taken as one step: an editor reports an edit
// in many places that way, and checking each step would take quadratic time.
const maxSteps = 64

// steps records the steps of one didChange. An edit in several places may come as that many
// steps or fewer, in one didChange or in several.
func (m *observer) steps(doc *workspace.Document, steps []workspace.Step) {
	begin := len(m.timeline)
	for i, st := range steps {
		m.take(step{st, doc, m.now, m.sinceBase})
		if m.landing != nil || m.discarded || m.saysVersions {
			continue
		}
		if l := m.landingOf(begin, i == len(steps)-1 || len(steps) <= fewSteps); l != nil && !m.isTransient(l) {
			if m.mayDrop && isMoved(l.Own, steps[i+1:]) && !m.isProven(l.Own) {
				m.doubt = true
				continue
			}
			m.landAt(l)
		}
	}
	if m.landing == nil && !m.exact {
		m.findMisplaced(begin)
	}
	for ; m.window < len(m.timeline)-max(len(m.edit), fewSteps); m.window++ {
		m.timeline[m.window].sinceBase = nil
	}
}

// take records one step, which the editor or the user made.
func (m *observer) take(st step) {
	m.parts.take(len(m.timeline), st)
	if m.withoutNewest != nil && st.Text.Equal(*m.withoutNewest) {
		m.parts.mayBeUndo = true // by the user, and the edit may do the same as that undo
	}
	m.timeline = append(m.timeline, st)
	m.now, m.sinceBase = st.Text, m.sinceBase.Then(st.Change)
}

// since returns the changes of all steps from an index in the timeline on, as one changeset.
func (m *observer) since(from int) (c changeset.Changeset) {
	for _, st := range m.timeline[from:] {
		c = c.Then(st.Change)
	}
	return c
}

// landingOf returns how the edit landed with the last step, or nil if it did not land or the user
// may have made that change. begin is the first step of the didChange that reported the last one.
// loose also accepts line ends of another kind, which takes a comparison of the whole text.
func (m *observer) landingOf(begin int, loose bool) *Landing {
	last := &m.timeline[len(m.timeline)-1]
	if text.Same(m.now, m.change.After, m.loose && loose) {
		return m.landingAsPlanned(last, len(m.timeline[begin].sinceBase) > 0)
	}
	if m.exact {
		return nil
	}
	for i, first := range slices.Backward(m.timeline[m.window:]) {
		n := len(m.timeline) - m.window - i // the number of steps that may be the edit
		if n > fewSteps && n != len(m.edit) {
			continue
		}
		if own, ok := m.rebase(first.before, first.sinceBase, m.now); ok {
			return m.unlessDoubtful(&Landing{doc: last.doc, Before: first.sinceBase, Own: own, Text: m.now, Seq: last.Seq})
		}
	}
	return nil
}

// landingAsPlanned is landingOf for a step that leaves the planned text. earlier is whether
// another didChange reported changes before.
func (m *observer) landingAsPlanned(last *step, earlier bool) *Landing {
	// Without line ends: some editors insert one and delete it again to edit the end of a text.
	put := lists.Sum(m.timeline, func(st step) int { return st.Change.Inserted() })
	onePlace := len(m.edit) == 1 && m.change.Doc != nil
	typed := slices.ContainsFunc(last.sinceBase, func(ch changeset.Change) bool { return ch.New != "" })
	switch {
	case m.exact && put > m.sinceBase.Inserted():
		// The user has typed something and deleted it again, so the edit was not for this
		// version. With that they may have deleted what the edit was to delete.
		m.doubt = m.doubt || !m.isProven(m.ownOf(m.now))
		return nil
	case m.mayDrop && earlier && onePlace && !m.isProven(m.ownOf(m.now)):
		// An edit in one place is reported at once. So the user has passed through the planned text,
		// for example by cutting lines and opening a new one, and the edit may have been dropped.
		m.doubt = true
		return nil
	case !m.exact && onePlace && typed:
		// The user typed in the range that the edit replaced, and their text is lost. If the steps
		// before only deleted text, they are the edit's own: some editors report it in two steps.
		return m.unlessDoubtful(&Landing{doc: last.doc, Before: last.sinceBase, Own: last.Change, Text: m.now, Seq: last.Seq})
	}
	return &Landing{doc: last.doc, Own: m.ownOf(m.now), Text: m.now, Seq: last.Seq}
}

// unlessDoubtful returns a landing after changes of the user if only the editor can have made it; otherwise it records a
// doubt and returns nil. A user who joins, moves or reflows lines, or pastes what was cut, makes one change that inserts a
// text and another that deletes it, and an editor may report them one by one.
func (m *observer) unlessDoubtful(l *Landing) *Landing {
	if m.isProven(l.Own, l.Before) {
		return l
	}
	m.doubt = true
	return nil
}

// isMoved reports whether the steps insert elsewhere what the edit deleted, or a word of
// it. If they are reported together with the edit, all of it may be the user's act, and the
// edit was dropped: moving a line is one change that deletes it and one that inserts it.
func isMoved(own changeset.Changeset, steps []workspace.Step) bool {
	anyPutsIn := func(s string) bool {
		return slices.ContainsFunc(steps, func(st workspace.Step) bool { return putsIn(st.Change, s) })
	}
	return slices.ContainsFunc(own, func(ch changeset.Change) bool {
		whole := strings.TrimSpace(ch.Old)
		return whole != "" && (anyPutsIn(whole) || slices.ContainsFunc(strings.Fields(whole), func(word string) bool {
			return len(word) >= MinProof && anyPutsIn(word)
		}))
	})
}

// landAt records that the edit has landed with the last step, or before.
func (m *observer) landAt(l *Landing) {
	l.Was, l.From = m.was, m.from
	m.landing, m.doubt, m.window = l, false, len(m.timeline)
	m.change.Pins.Pin(l.doc.History, l.Seq)
}

// isTransient reports whether the planned text was there only for a moment, while the user
// was undoing. That is assumed if the editor refused the edit, and either is exact or put
// in next to nothing and had another text at the end of the didChange.
func (m *observer) isTransient(l *Landing) bool {
	return m.rejected && (m.exact || !isLongInsertion(l.Own) && !l.doc.Text.Equal(l.Text))
}

// findMisplaced looks among the steps of the last didChange, from begin on, for runs that make the edit where it does not
// belong, the longest first. Only runs that are proven to be the editor's count, since they are going to be taken out again.
func (m *observer) findMisplaced(begin int) {
	for i := begin; i < len(m.timeline); i++ {
		first := &m.timeline[i]
		if !m.discarded && first.before.Equal(m.was) {
			continue // the edit would belong there
		}
		es, ok := m.change.sentOn(first.before, m.encoding)
		for end := len(m.timeline); ok && end > i; end-- {
			if n := end - i; n > fewSteps && n != len(m.timeline)-begin || !isMisplacedEdit(first.before, es, m.timeline[end-1].Text) {
				continue
			}
			made := changeset.Of(es, first.before) // the steps may hold more, which the user did and undid
			if now, ok := made.Apply(first.before); !ok || !now.Equal(m.timeline[end-1].Text) {
				made = changeset.Difference(first.before, m.timeline[end-1].Text) // with other line ends
			}
			if m.isProven(made, first.sinceBase, changeset.Difference(m.was, first.before)) {
				m.misplaced = append(m.misplaced, misplacedEdit{made, end})
			} else {
				m.doubt = true
			}
			i = end - 1
			break
		}
	}
}

// isMisplacedEdit reports whether now is was with es made, which is the whole edit at its lines and characters. It is false
// if was already has a part of the edit: the editor may be making the edit, from the last place to the first.
func isMisplacedEdit(was text.Text, es edits.Edits, now text.Text) bool {
	stands := func(e edits.Edit) bool { return e.New != "" && was.Slice(e.Start, e.End) == e.New }
	return !slices.ContainsFunc(es, stands) && makes(es, was, now) && !was.Equal(now)
}

// makes reports whether the edits turn was into now. After the last line, editors differ in
// the line ends around an insertion, and some add one where the edit deletes nothing.
func makes(es edits.Edits, was, now text.Text) bool {
	far := was.Len() + es.Delta() - now.Len()
	if far == 0 {
		return es.Apply(was).Equal(now)
	}
	if max(far, -far) > 2*len("\r\n") {
		return false
	}
	made := changeset.Difference(was, now)
	if !isLongInsertion(made) { // a deletion that is nearly the same proves nothing
		return false
	}
	trim := func(s string) string { return strings.Trim(s, "\r\n") }
	alike := func(a, b changeset.Change) bool { return trim(a.Old) == trim(b.Old) && trim(a.New) == trim(b.New) }
	return trim(es.Apply(was).String()) == trim(now.String()) ||
		es[len(es)-1].End == was.Len() && slices.EqualFunc(changeset.Of(es, was), made, alike)
}

// partialEdit follows an edit in several places while an editor makes it one place after the other. It serves to show no
// half-made edit, and to take a part out again if the rest does not come.
type partialEdit struct {
	remaining changeset.Changeset // changes of the edit as sent, on the text now; those typed over are dropped
	any       bool                // any kind of line ends may be reported, since the text has none yet
	applied   []int               // the indexes in the timeline of the steps that made a part
	// mayBeUndo: the applied steps together may be an undo by the user.
	mayBeUndo bool
}

// take records the step of the timeline with the index nth.
func (p *partialEdit) take(nth int, st step) {
	if i := p.find(st); i >= 0 {
		p.applied, p.mayBeUndo = append(p.applied, nth), false
		delta := st.Change.Delta()
		p.remaining = append(p.remaining[:i:i], p.remaining[i+1:]...)
		for k := i; k < len(p.remaining); k++ {
			p.remaining[k].At += delta
		}
		return
	}
	left, _, meet := changeset.Transform(p.remaining, st.Change)
	if meet != nil {
		left = nil
		if len(st.Change) > maxSteps { // following many parts at once would take quadratic time
			p.remaining = nil
		}
		for _, e := range p.remaining {
			if one, _, meet := changeset.Transform(changeset.Changeset{e}, st.Change); meet == nil {
				left = append(left, one...)
			}
		}
	}
	p.remaining = left
}

// find returns the index of the part that st makes, or -1. It looks near the ends, where editors begin.
func (p *partialEdit) find(st step) int {
	n := len(p.remaining)
	for i, e := range slices.Backward(p.remaining) {
		if i >= fewSteps && i < n-fewSteps {
			continue
		}
		if p.any && strings.Contains(st.Text.String(), "\r\n") {
			e = e.WithCRLF()
		}
		if st.Change.Delta() == e.Delta() && st.before.Len() >= e.End() && st.before.Slice(e.At, e.End()) == e.Old && st.makes(e) {
			return i
		}
	}
	return -1
}

// makes reports whether the step makes e, even if the editor reports it as whole lines or
// in another of several equal places.
func (st *step) makes(e changeset.Change) bool {
	as := changeset.Replaced(st.before, e.At, e.End(), e.New)
	return slices.Equal(as, st.Change) || as.Edits().Apply(st.before).Equal(st.Text)
}

// isPartial reports whether some of the parts were made, and not all.
func (p *partialEdit) isPartial() bool { return len(p.applied) > 0 && len(p.remaining) > 0 }

// isLongInsertion reports whether the changes insert too much to be the user's by coincidence.
// A deletion may always be the user's, for example an undo of what they had typed.
func isLongInsertion(c changeset.Changeset) bool {
	return slices.ContainsFunc(c, func(ch changeset.Change) bool { return len(ch.New) >= MinProof })
}

// withoutNewest returns the text without the newest edit of an agent, nil if there is none that can be undone.
func (j *Change) withoutNewest() *text.Text {
	if j.Doc == nil {
		return nil
	}
	ids := j.Doc.History.Edits()
	if len(ids) == 0 {
		return nil
	}
	c, seq, err := j.Doc.History.Undo(ids[len(ids)-1])
	if err != nil || seq != j.Doc.Seq {
		return nil
	}
	t := c.Edits().Apply(j.Text)
	return &t
}

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
