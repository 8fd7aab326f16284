package apply

import (
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
)

// observer watches the document of a change while the editor is at it, and sees what
// becomes of the edit.
//
// An editor's changes come as one or several steps, with the user's typing before,
// between and after them. The observer tells them apart in one of three ways:
//
//   - Our plugins say in their answer which versions of the document the edit was
//     (observer_versions.go).
//   - Some editors make an edit in the version that it is for, or not at all. There the edit
//     has landed if the first steps on the text that was planned on leave the planned text.
//   - With all others there is only the text. The edit has landed if a step leaves the planned
//     text, or what the edit leaves on what the user has typed before (Zed rebases). The
//     latter counts only if the user cannot have made that step; else it is a doubt. A step
//     that does what the edit's ranges say on a text that they are not about, and that the
//     user cannot have made, is misplaced: an edit that landed where it does not belong
//     (hazard: stale-position).
type observer struct {
	news chan struct{} // has a value when there is something new to see
	file *fileObserver // which sees to a file that is deleted or renamed; else nil
	// saysVersions: the editor's answer says which changes the edit was.
	saysVersions bool
	// mayDrop: a yes does not say that the edit was made.
	mayDrop bool

	mu sync.Mutex
	pattern
	// exact: the editor makes the edit in the version that it is for, or not at all. So it is
	// the first thing that has happened to the text planned on, or it was not made.
	exact         bool
	newest        *workspace.Document
	rejected      bool                // the editor said no
	desynced      bool                // what the editor shows cannot be taken for its text any more
	discarded     bool                // and with it the text that the edit is about
	now           text.Text           // after the last step
	sinceBase     changeset.Changeset // all that was told since the text planned on
	timeline      []step              // the same, step by step
	window        int                 // the first step of the timeline that may be a part of the edit
	landing       *Landing
	doubt         bool // the text shows the edit, or a stray, and that may be the user's own doing
	misplaced     []misplacedEdit
	parts         partialEdit // with nothing left to make for an edit that is sent as one
	withoutNewest *text.Text  // was without the newest edit of an agent, nil if there is none
}

// Landing is how an edit came to be in the text.
type Landing struct {
	doc    *workspace.Document // the state that has it
	Before changeset.Changeset // what others did to the text planned on
	Own    changeset.Changeset // the edit, on the text after that
	Text   text.Text
	Seq    int // of the document's history
	// Was is the text that the change was planned on, as the editor has it; From is
	// its place in the document's history, -1 if it was never shown.
	Was  text.Text
	From int
}

// step is one change of the document since the text planned on, by the editor or the user.
type step struct {
	workspace.Step
	doc       *workspace.Document // after the didChange that told of it
	before    text.Text
	sinceBase changeset.Changeset // all that was told before; nil outside of the window
}

// misplacedEdit is a change that made the edit where it does not belong, or a part of an edit of
// which the rest does not come.
type misplacedEdit struct {
	change changeset.Changeset
	end    int // the index in the timeline of what came after
}

func newObserver(j *Change, c *editor.Editor) *observer {
	m := &observer{
		pattern: pattern{
			change: j, encoding: c.Encoding, loose: j.Doc == nil || c.NormalizesLineEnds,
			edit: changeset.Of(j.Plan.Edits, j.Text), was: j.Text, from: -1,
		},
		now: j.Text, news: make(chan struct{}, 1),
	}
	if j.IsFileOperation() {
		m.file = &fileObserver{change: j, announces: c.Quirks.Announces, news: m.news}
		return m
	}
	if sent, ok := j.sentOn(j.Text, c.Encoding); ok && len(sent) > 1 {
		m.parts.remaining, m.parts.any, m.withoutNewest = changeset.Of(sent, j.Text), m.anyLineEnds(), j.withoutNewest()
	}
	if j.Doc != nil {
		m.from = j.Doc.Seq
		m.saysVersions = c.Plugin.Versions
		m.exact = c.Quirks.Exact || c.Plugin.Versions
		m.mayDrop = !c.Quirks.Exact || c.Quirks.Drops
	}
	return m
}

// watch observes the documents of the change until stop is called.
func (m *observer) watch(docs *workspace.Documents) (stop func()) {
	if m.file != nil {
		return m.file.watch(docs)
	}
	return docs.Watch(m.change.Key, m.observe)
}

// observe records a state of the document; it is called in wire order.
func (m *observer) observe(doc *workspace.Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wasOpen := m.newest != nil
	m.newest = doc
	if doc == nil && m.change.Doc != nil {
		m.closed, m.exact = true, false // versions start over
	}
	if doc == nil || doc == m.change.Doc || m.desynced {
		return
	}
	if doc.Drift == "" && len(doc.Steps) == 0 && (wasOpen || m.closed) && doc.Text.Equal(m.now) {
		if !wasOpen {
			workspace.Wake(m.news) // it is open again, as it was
		}
		return
	}
	defer workspace.Wake(m.news)
	switch {
	case doc.Drift != "":
		m.desynced = true
	case !wasOpen && m.closed && doc.Text.Equal(m.change.Doc.Disk) && !doc.Text.Equal(m.now):
		m.discard(doc.Text)
	case !wasOpen && m.closed && m.isMadeOnDisk(doc.Text):
		m.discard(m.change.Doc.Disk)
		if made := changeset.Difference(m.now, doc.Text); m.isNew(made) {
			m.misplaced = []misplacedEdit{{change: made}}
		}
		m.now = doc.Text
	case len(doc.Steps) <= maxSteps && follow(m.now, doc.Steps):
		m.steps(doc, doc.Steps)
	case m.change.Doc == nil && m.from < 0 && m.isBefore(doc.Text):
		m.rebaseToOpened(doc)
	default:
		m.steps(doc, []workspace.Step{{Change: changeset.Difference(m.now, doc.Text), Text: doc.Text, Seq: doc.Seq}})
	}
}

// follow reports whether steps begin at a text.
func follow(t text.Text, steps []workspace.Step) bool {
	return len(steps) > 0 && t.Len()+steps[0].Change.Delta() == steps[0].Text.Len()
}

// refuse records that the editor said no. After an answer that cannot be read the edit may have
// been made.
func (m *observer) refuse(unread bool) {
	if m.file != nil {
		m.file.refuse()
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejected, m.exact = true, m.exact && !unread
	if m.landing != nil && m.isTransient(m.landing) {
		m.landing = nil
	}
}

// outcome returns how the change was seen to be made; ok is false if it was not.
func (m *observer) outcome() (l Outcome, ok bool) {
	if m.file != nil {
		return m.file.outcome()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.landing == nil {
		return Outcome{}, false
	}
	return m.change.outcomeOf(m.landing), true
}

// outcomeOf returns the change as it was made: on the text that it was planned on, or on a newer
// one.
func (j *Change) outcomeOf(how *Landing) Outcome {
	as := *j
	as.After = how.Text
	switch {
	case len(how.Before) > 0:
		as.Rebased = true
		as.Text, _ = how.Before.Apply(how.Was)
		as.Plan.Edits = how.Own.Edits()
		as.Plan.Hunks = diff.PlanOf(as.Text, as.Plan.Edits).Hunks
	case !how.Text.Equal(j.After):
		as.Text, as.Plan.Edits = how.Was, how.Own.Edits()
		as.Plan.Notes = append(slices.Clip(j.Plan.Notes), "The editor keeps line ends of its own kind.")
	}
	return Outcome{Change: &as, Landing: how, Doc: how.doc}
}

// look returns what the document shows of the edit, without a judgement of its text.
func (m *observer) look() evidence {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.facts()
}

// facts is [observer.look]. It needs the lock.
func (m *observer) facts() evidence {
	return evidence{
		open: m.newest != nil, closed: m.closed, desynced: m.desynced, changed: m.desynced || len(m.sinceBase) > 0,
		renumbered: m.closed && m.newest != nil && m.newest.Version != m.change.Doc.Version, exact: m.exact,
		misplaced: m.landing == nil && len(m.misplaced) > 0, partial: m.landing == nil && !m.desynced && m.parts.isPartial(),
	}
}

// evidence returns all that the document shows of the edit.
func (m *observer) evidence() evidence {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := m.facts()
	if m.landing != nil {
		seen.sighting, seen.outcome = changeset.Present, m.change.outcomeOf(m.landing)
		return seen
	}
	seen.sighting, seen.outcome = m.sighting()
	seen.doubtful, seen.partialForSure = m.isDoubtful(), m.isPartialForSure()
	return seen
}

// sighting decides by the text alone what has become of an edit that was not seen to land. A text
// that cannot be believed shows nothing. It needs the lock.
func (m *observer) sighting() (changeset.Sighting, Outcome) {
	switch {
	case m.desynced || m.newest == nil:
		return changeset.Unclear, Outcome{}
	case len(m.misplaced) > 0:
		return changeset.Absent, Outcome{} // but for the edit in the wrong place
	case m.discarded, m.now.Equal(m.was), m.isUnmade():
		return changeset.Absent, Outcome{}
	case m.saysVersions, m.doubt: // and has not told of the edit yet, or the user may have made it
		return changeset.Unclear, Outcome{}
	}
	var first changeset.Sighting
	for i, edit := range m.spellings() {
		s, others, own := changeset.See(m.was, edit, m.now, m.sinceBase)
		if s == changeset.Present && len(others) > 0 && !m.isProven(own, others) {
			s = changeset.Unclear
		}
		if s == changeset.Present {
			m.change.Pins.Pin(m.newest.History, m.newest.Seq)
			return s, m.change.outcomeOf(&Landing{doc: m.newest, Before: others, Own: own, Text: m.now, Seq: m.newest.Seq, Was: m.was, From: m.from})
		}
		if i == 0 {
			first = s
		}
	}
	return first, Outcome{}
}

// isUnmade reports whether an exact editor has not made the edit, though the text may look as if
// it had: the editor said no, or the text has nothing that only the edit can have put in. If the
// edit puts in no such text, then all that it takes out must still be there: an editor may tell
// of the edit and of the user's typing in one change. It needs the lock.
func (m *observer) isUnmade() bool {
	switch {
	case !m.exact || m.rejected:
		return m.exact
	case m.saysVersions || slices.ContainsFunc(m.edit, m.isShown):
		return false
	}
	return m.isProven(m.edit) || !slices.ContainsFunc(m.edit, func(ch changeset.Change) bool {
		return ch.Old != "" && !m.now.Contains(ch.Old)
	})
}

// isShown reports whether the text has something that only this change of the edit can have put
// in. It needs the lock.
func (m *observer) isShown(ch changeset.Change) bool {
	return m.isProven(changeset.Changeset{ch}) && m.now.Contains(strings.TrimSpace(ch.New))
}

// isPartialForSure reports whether a part of the edit was made and not all of it, and each
// change that made one can only be the editor's. It needs the lock.
func (m *observer) isPartialForSure() bool {
	if m.landing != nil || m.desynced || m.parts.mayBeUndo || !m.parts.isPartial() {
		return false
	}
	var others []changeset.Changeset
	for i, st := range m.timeline {
		if !slices.Contains(m.parts.applied, i) {
			others = append(others, st.Change)
		}
	}
	return !slices.ContainsFunc(m.parts.applied, func(i int) bool { return !m.isProven(m.timeline[i].Change, others...) })
}

// isDoubtful reports whether the text looks as if the edit were made, and it may have been
// the user who changed it so; or the editor said no, and the text was the planned one and has
// what no undo of the user's can have put in. It needs the lock.
func (m *observer) isDoubtful() bool {
	refused := m.exact && m.rejected && !m.desynced && m.newest != nil &&
		slices.ContainsFunc(m.timeline, func(st step) bool { return st.Text.Equal(m.change.After) })
	return m.doubt || refused && slices.ContainsFunc(m.edit, func(ch changeset.Change) bool {
		return m.isShown(ch) && !m.newest.History.Had(strings.TrimSpace(ch.New))
	})
}

// isOnlyTheEdit reports whether the change that landed can only be the edit.
func (m *observer) isOnlyTheEdit(l Outcome) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return l.Landing != nil && m.isProven(l.Landing.Own, l.Landing.Before)
}

// isCurrent reports whether the document is still the one that was planned on.
func (m *observer) isCurrent() bool {
	if m.file != nil {
		return m.file.isCurrent()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest == m.change.Doc
}

// A document that an editor opens while an edit is under way is not always the one that
// was planned on: the editor opens a file to edit it, or the user has thrown unsaved text away.

// discard records that the document was closed without being saved and is open
// again: what the edit was planned on is gone, so it does not belong there. An editor
// may close one and open it again with all that is unsaved, too.
func (m *observer) discard(t text.Text) {
	m.discarded = true
	m.now, m.sinceBase, m.timeline, m.window = t, nil, nil, 0
	m.landing, m.doubt, m.misplaced, m.parts = nil, false, nil, partialEdit{}
}

// rebaseToOpened records that the document was opened to be edited. The editor may show it
// with other line ends than the file has.
func (m *observer) rebaseToOpened(doc *workspace.Document) {
	m.now, m.was, m.from = doc.Text, doc.Text, doc.Seq
	m.change.Pins.Pin(doc.History, doc.Seq) // or an edit of many steps could not be told from what comes with it
	es, ok := m.change.sentOn(doc.Text, m.encoding)
	if doc.Text.Equal(m.change.Text) || !ok {
		return
	}
	if !strings.Contains(doc.Text.String(), "\r\n") {
		for i, e := range es {
			es[i].New = strings.ReplaceAll(e.New, "\r\n", "\n")
		}
	}
	m.edit = changeset.Of(es, doc.Text)
	if len(m.parts.remaining) > 0 {
		m.parts.remaining = m.edit
	}
}

// isMadeOnDisk reports whether a text that was opened again is that of the file with
// the edit made where its lines and characters say: the editor opened it for that.
func (m *observer) isMadeOnDisk(opened text.Text) bool {
	disk := m.change.Doc.Disk
	if opened.Equal(disk) || opened.Equal(m.now) || disk.Equal(m.change.Text) {
		return false
	}
	es, ok := m.change.sentOn(disk, m.encoding)
	return ok && makes(es, disk, opened)
}
