package history

import (
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// History is what happened to one document since it was first seen: a log of
// changesets, of which some are agents' edits with an id. An edit that is undone
// leaves the log, and what came after it is rewritten as if it had never been
// made; so whatever changed its text and was itself undone is in no one's way.
//
// Between the changes are boundaries, numbered by how many changes were recorded
// before them. Those that nobody needs vanish in time, and with them how what was
// between them went in detail: typing that is deleted again leaves nothing.
//
// It is safe for concurrent use.
type History struct {
	// Limits may be set before the first use, and are the history's after that.
	Limits Limits

	mu     sync.Mutex
	text   text.Text // as of the last boundary
	seq    int       // changes recorded
	first  *boundary // before the first entry
	log    []*entry
	marks  []mark // in the order told
	agents int    // entries with an id
	bytes  int    // that the log takes
	loose  int    // entries recorded since the log was compacted
	typed  journal
	known  pieces // of the hunks

	ended  []ending // of edits that are in the log no more, the last one last
	thrown []span   // what was thrown away, the oldest first
}

// New returns the history of a document that is first seen as t.
func New(t text.Text) *History {
	return &History{Limits: defaultLimits, text: t, first: &boundary{}}
}

// Text returns the text as of the newest change.
func (h *History) Text() text.Text {
	h.lock()
	defer h.unlock()
	return h.text
}

// Seq returns the number of changes recorded so far, which is the number of the
// newest boundary.
func (h *History) Seq() int {
	h.lock()
	defer h.unlock()
	return h.seq
}

// Size returns about how many bytes the text and the log take.
func (h *History) Size() int {
	h.lock()
	defer h.unlock()
	return h.text.Len() + h.bytes
}

// Record adds a change of unknown origin, the user's or another program's, that
// made the text now, and returns the number of the boundary after it. If c is not
// what made now of the text before, the difference of both is recorded instead.
// Its cost does not depend on what is remembered, but for a share of compacting
// it.
func (h *History) Record(c changeset.Changeset, now text.Text) int {
	h.lock()
	defer h.unlock()
	if h.text.Len()+c.Delta() != now.Len() || !c.Fits(h.text) || !c.Invert().Fits(now) {
		c = difference(h.text, now)
	}
	h.record(c.Then(nil), now)
	return h.seq
}

// Had reports whether a change that is remembered took s out of the text, so that the user
// may bring it back by undo or redo.
func (h *History) Had(s string) bool {
	h.lock()
	defer h.unlock()
	return slices.ContainsFunc(h.log, func(e *entry) bool {
		return slices.ContainsFunc(e.change, func(ch changeset.Change) bool { return strings.Contains(ch.Old, s) })
	})
}

// CatchUp says that the text was replaced unseen: opened again, or changed on
// disk. What differs is recorded as one change, or nothing if nothing does. If it is
// a text of before, as when what is unsaved was thrown away, the edits since then
// are undone.
func (h *History) CatchUp(now text.Text) {
	h.lock()
	defer h.unlock()
	h.catchUp(now, len(h.log))
}

// ThrowAway is [History.CatchUp] where it is known that all that was done after
// boundary since is gone.
func (h *History) ThrowAway(now text.Text, since int) {
	h.lock()
	defer h.unlock()
	k, _ := h.boundary(since)
	h.catchUp(now, k)
}

// catchUp makes the edits after boundary k undone, or after a boundary at which the
// text was now.
func (h *History) catchUp(now text.Text, k int) {
	if h.text.Equal(now) {
		return
	}
	c := difference(h.text, now)
	was := now
	if !strings.Contains(h.text.String(), "\r\n") {
		was = text.New(text.Plain(now.String()))
	}
	if same := h.boundaryWith(was); same >= 0 {
		k = same
		c = fold(h.log[k:]).Invert().Then(lineEnds(was.String(), now.String()))
	}
	if k < len(h.log) {
		for _, e := range h.log[k:] {
			h.disown(e)
		}
		h.thrown = append(h.thrown, span{h.at(k).seq, h.seq})
		h.thrown = h.thrown[max(0, len(h.thrown)-maxDiscarded):]
	}
	h.record(c.Then(nil), now)
}

// maxLookedAt bounds how many earlier texts of the right length are compared.
const maxLookedAt = 8

// boundaryWith returns the newest boundary at which the text was now, -1 if there is
// none.
func (h *History) boundaryWith(now text.Text) int {
	size, left := h.text.Len(), maxLookedAt
	for k := len(h.log) - 1; k >= 0 && left > 0; k-- {
		if size -= h.log[k].change.Delta(); size != now.Len() {
			continue
		}
		left--
		if h.textAt(k).Equal(now) {
			return k
		}
	}
	return -1
}

// span is what happened after boundary from, up to boundary to.
type span struct{ from, to int }

// maxDiscarded bounds the discarded ranges that a history remembers.
const maxDiscarded = 100

// disown says that an agent's edit went with the text that it was in.
func (h *History) disown(e *entry) {
	if e.isAgents() {
		h.end(h.release(e), true)
		h.known = pieces{} // what is left of others may be more: it is one change with what came after it
	}
}

// record adds a change that made the text now.
func (h *History) record(c changeset.Changeset, now text.Text) {
	h.seq++
	h.text = now
	h.insert(len(h.log), &entry{change: c, end: &boundary{seq: h.seq}})
	h.loose++
	h.recognizeUndone(len(h.log) - 1)
}

// difference returns a small changeset that makes t into now, byte for byte.
func difference(t, now text.Text) changeset.Changeset {
	c := changeset.Of(diff.Rewrite(t, 0, t.Len(), now.String()), t)
	return c.Then(lineEnds(c.Edits().Apply(t).String(), now.String()))
}

// lineEnds returns what makes s into now, which differ in the kinds of line ends
// only, or in anything: then all that differs is one change.
func lineEnds(s, now string) changeset.Changeset {
	var c changeset.Changeset
	i, j := 0, 0
	for i < len(s) && j < len(now) {
		switch {
		case s[i] == now[j]:
			i, j = i+1, j+1
		case strings.HasPrefix(s[i:], "\r\n") && now[j] == '\n':
			c = append(c, changeset.Change{At: i, Old: "\r"})
			i++
		case strings.HasPrefix(now[j:], "\r\n") && s[i] == '\n':
			c = append(c, changeset.Change{At: i, New: "\r"})
			j++
		default:
			return changeset.Changeset{{At: 0, Old: s, New: now}}.Then(nil)
		}
	}
	if i < len(s) || j < len(now) {
		return changeset.Changeset{{At: 0, Old: s, New: now}}.Then(nil)
	}
	return c
}
