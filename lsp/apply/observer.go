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

// observer watches the document of a change while the editor makes it, and finds the outcome of the edit.
//
// An editor's changes come as one or several steps, with the user's typing before,
// between and after them. The observer tells them apart in one of three ways:
//
//   - Our plugins say in their answer which versions of the document the edit was
//     (observer_steps.go).
//   - Some editors make an edit in the version that it is for, or not at all. There the edit
//     has landed if the first steps on the text that was planned on leave the planned text.
//   - With all others only the text counts. The edit has landed if a step leaves the planned
//     text, or the text that the edit makes after the user's typing (Zed rebases). The latter
//     counts only if the user cannot have made that step; otherwise it is a doubt. A step that
//     applies the edit's ranges to a text that they are not for, and that the user cannot have
//     made, is misplaced: the edit landed where it does not belong (hazard: stale-position).
type observer struct {
	news chan struct{} // has a value when there is something new to see
	file *fileObserver // follows a file that is deleted or renamed; nil for other changes
	// saysVersions: the editor's answer says which changes of the document are the edit.
	saysVersions bool
	// mayDrop: the editor may say yes to an edit and not make it.
	mayDrop bool

	mu sync.Mutex
	pattern
	// exact: the editor makes the edit in the version that it is for, or not at all. So the
	// edit is the first change of the text planned on, or it was not made.
	exact         bool
	newest        *workspace.Document
	rejected      bool                // the editor said no
	desynced      bool                // the editor's changes no longer show what its text is
	discarded     bool                // the text that the edit is about was thrown away unsaved
	now           text.Text           // after the last step
	sinceBase     changeset.Changeset // all changes reported since the text planned on
	timeline      []step              // the same, step by step
	window        int                 // the first step of the timeline that may be a part of the edit
	landing       *Landing
	doubt         bool // the text shows the edit, or a misplaced one, and the user may have made that change
	misplaced     []misplacedEdit
	parts         partialEdit // empty for an edit that is sent as one
	withoutNewest *text.Text  // the text planned on with the newest edit of an agent undone; nil if there is none
}

// Landing describes how an edit came to be in the text.
type Landing struct {
	doc    *workspace.Document // the state of the document that has the edit
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
	doc       *workspace.Document // after the didChange that reported the step
	before    text.Text
	sinceBase changeset.Changeset // all changes reported before; nil outside of the window
}

// misplacedEdit is a change that made the edit where it does not belong, or that made a
// part of an edit whose rest does not come.
type misplacedEdit struct {
	change changeset.Changeset
	end    int // the index in the timeline of the step after the change
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
			workspace.Wake(m.news) // the document is open again with the same text
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

// follow reports whether steps may begin at t, by the length of the text alone.
func follow(t text.Text, steps []workspace.Step) bool {
	return len(steps) > 0 && t.Len()+steps[0].Change.Delta() == steps[0].Text.Len()
}

// refuse records that the editor said no. After an answer that could not be read, the edit may still have been made.
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

// outcomeOf returns the change as it was made: on the text that it was planned on, or on a newer one.
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

// facts is [observer.look] for a caller that holds m.mu.
func (m *observer) facts() evidence {
	return evidence{
		open: m.newest != nil, closed: m.closed, desynced: m.desynced, changed: m.desynced || len(m.sinceBase) > 0,
		renumbered: m.closed && m.newest != nil && m.newest.Version != m.change.Doc.Version, exact: m.exact, mayDrop: m.mayDrop,
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
	seen.doubtful, seen.partialForSure, seen.traces = m.doubt, m.isPartialForSure(), m.hasTraces()
	return seen
}

// sighting decides by the text alone whether an edit that was not seen to land was made. A
// text that may not be the editor's shows nothing. The caller holds m.mu.
func (m *observer) sighting() (changeset.Sighting, Outcome) {
	switch {
	case m.desynced || m.newest == nil:
		return changeset.Unclear, Outcome{}
	case len(m.misplaced) > 0:
		return changeset.Absent, Outcome{} // except in the wrong place
	case m.discarded, m.now.Equal(m.was), m.isUnmade():
		return changeset.Absent, Outcome{}
	case m.saysVersions, m.doubt: // the edit is not reported yet, or the user may have made it
		return changeset.Unclear, Outcome{}
	}
	var first changeset.Sighting
	for i, edit := range m.spellings() {
		s, others, own := changeset.See(m.was, edit, m.now, m.sinceBase)
		if s == changeset.Present && len(others) > 0 && (!m.isProven(own, others) || !m.isApart(edit)) ||
			s == changeset.Absent && slices.ContainsFunc(m.edit, func(ch changeset.Change) bool { return m.isShown(ch) || m.isTouched(ch.Widened(m.was)) }) {
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

// isApart reports whether each place of the edit, as sent, was reported apart from other changes. In one content change, what
// touches the edit is not the user's typing: the editor made the edit wrong (hazard: inexact-edit). The caller holds m.mu.
func (m *observer) isApart(edit changeset.Changeset) bool {
	sent := changeset.Of(edit.Edits().BeforeEnd(m.was), m.was)
	return !slices.ContainsFunc(sent, func(ch changeset.Change) bool {
		return !slices.ContainsFunc(m.timeline[m.window:], func(st step) bool { return ch.IsApart(st.sinceBase, st.before, st.Text) })
	})
}

// isUnmade reports whether an exact editor has not made the edit, though the text may look as if it had: the editor said no,
// or the text has nothing that only the edit can have put in. If the edit puts in no such text, all that it deletes must
// still be there: an editor may report the edit and the user's typing as one change. The caller holds m.mu.
func (m *observer) isUnmade() bool {
	switch {
	case !m.exact || m.rejected:
		return m.exact
	case m.saysVersions || !m.mayDrop || slices.ContainsFunc(m.edit, m.isShown):
		return false
	}
	return m.isProven(m.edit) || !slices.ContainsFunc(m.edit, func(ch changeset.Change) bool {
		return ch.Old != "" && !m.now.Contains(ch.Old)
	})
}

// isShown reports whether a step has put in something that only this change of the edit can have put
// in. The caller holds m.mu.
func (m *observer) isShown(ch changeset.Change) bool {
	put := strings.TrimSpace(ch.New)
	return slices.ContainsFunc(m.timeline, func(st step) bool { return putsIn(st.Change, put) }) && m.isProven(changeset.Changeset{ch})
}

// isTouched reports whether a step changed the text at this change of the edit. The caller holds m.mu.
func (m *observer) isTouched(ch changeset.Change) bool {
	return slices.ContainsFunc(m.timeline[m.window:], func(st step) bool { return ch.Touches(st.sinceBase, st.Change) })
}

// isPartialForSure reports whether only a part of the edit was made, and only the editor
// can have made the changes of that part. The caller holds m.mu.
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

// hasTraces reports whether the editor said no, and the text got new text of the edit, by no undo. The caller holds m.mu.
func (m *observer) hasTraces() bool {
	return m.rejected && !m.desynced && m.newest != nil && slices.ContainsFunc(m.edit, func(ch changeset.Change) bool {
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

// A document that an editor opens while an edit is in flight may differ from the one
// planned on: the editor opens a file to edit it, or the user has thrown unsaved text away.

// discard records that the document was closed without being saved and opened again from t, the
// text of its file. The text planned on is lost, so the edit does not belong there. An editor
// may also close a document and open it again with all its unsaved text, which discards nothing.
func (m *observer) discard(t text.Text) {
	m.discarded = true
	m.now, m.sinceBase, m.timeline, m.window = t, nil, nil, 0
	m.landing, m.doubt, m.misplaced, m.parts = nil, false, nil, partialEdit{}
}

// rebaseToOpened records that the document was opened to be edited. The editor may show it
// with other line ends than the file has.
func (m *observer) rebaseToOpened(doc *workspace.Document) {
	m.now, m.was, m.from = doc.Text, doc.Text, doc.Seq
	m.change.Pins.Pin(doc.History, doc.Seq) // so that an edit of many steps is kept apart from the changes reported with it
	es, ok := m.change.sentOn(doc.Text, m.encoding)
	if doc.Text.Equal(m.change.Text) || !ok {
		return
	}
	if !strings.Contains(doc.Text.String(), "\r\n") {
		es = inLF(es)
	}
	m.edit = changeset.Of(es, doc.Text)
	if len(m.parts.remaining) > 0 {
		m.parts.remaining = m.edit
	}
}

// isMadeOnDisk reports whether the text of a reopened document is that of the file with the
// edit made at its lines and characters: the editor opened the file to make it.
func (m *observer) isMadeOnDisk(opened text.Text) bool {
	disk := m.change.Doc.Disk
	if opened.Equal(disk) || opened.Equal(m.now) || disk.Equal(m.change.Text) {
		return false
	}
	es, ok := m.change.sentOn(disk, m.encoding)
	return ok && makes(es, disk, opened)
}
