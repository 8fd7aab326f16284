package history

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// History records what happened to one document since it was first seen; see the package
// documentation. It is safe for concurrent use.
type History struct {
	// Limits may be set before the first use, and must not be touched after that.
	Limits Limits

	mu      sync.Mutex
	log     log
	marks   marks
	pieces  pieces // of the hunks
	endings endings
}

// Limits bound what a [History] remembers. Beyond them, the oldest is forgotten.
type Limits struct {
	Marks int // marks that Since can look up
	Edits int // edits that can be undone
	Bytes int // size of the changes remembered; a pin may keep more
	Loose int // changes recorded before the log is compacted
}

var defaultLimits = Limits{Marks: 200, Edits: 1000, Bytes: 16 << 20, Loose: 256}

// New returns the history of a document that is first seen as t.
func New(t text.Text) *History {
	return &History{Limits: defaultLimits, log: log{text: t, first: &boundary{}}}
}

// Clone returns a copy of h in which a caller can try out a change. The copy has no marks and no pins.
func (h *History) Clone() *History {
	h.mu.Lock()
	defer h.unlock()
	return &History{Limits: h.Limits, log: h.log.clone(), endings: slices.Clone(h.endings)}
}

// LimitBytes bounds how many bytes the history takes; 0 means the default.
func (h *History) LimitBytes(most int64) {
	if most == 0 {
		most = int64(defaultLimits.Bytes)
	}
	h.mu.Lock()
	defer h.unlock()
	h.Limits.Bytes = int(most)
}

// unlock trims the history to its limits and unlocks it.
func (h *History) unlock() {
	for len(h.marks) > h.Limits.Marks {
		h.marks.drop(0)
	}
	for _, id := range h.log.shrink(h.Limits) {
		h.endings.add(ending{id: id}, h.Limits)
	}
	h.mu.Unlock()
}

// Text returns the text as of the newest change.
func (h *History) Text() text.Text {
	h.mu.Lock()
	defer h.unlock()
	return h.log.text
}

// Seq returns the number of changes recorded so far, which is the number of the newest boundary.
func (h *History) Seq() int {
	h.mu.Lock()
	defer h.unlock()
	return h.log.seq
}

// Size returns about how many bytes the text and the log take.
func (h *History) Size() int {
	h.mu.Lock()
	defer h.unlock()
	return h.log.text.Len() + h.log.bytes
}

// Had reports whether a remembered change removed s from the text, so that the user may bring s back by undo or redo.
func (h *History) Had(s string) bool {
	h.mu.Lock()
	defer h.unlock()
	return slices.ContainsFunc(h.log.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.change, func(ch changeset.Change) bool { return strings.Contains(ch.Old, s) })
	})
}

// SeqOf returns the number of a boundary after boundary since at which the text was t. ok is false if none is remembered.
func (h *History) SeqOf(t text.Text, since int) (seq int, ok bool) {
	h.mu.Lock()
	defer h.unlock()
	from, ok := h.log.boundary(since)
	if ok {
		from++
	}
	k := h.log.boundaryWith(t, from)
	if k < 0 {
		return 0, false
	}
	return h.log.at(k).seq, true
}

// HadLine reports whether a remembered change removed one of lines from the text. The lines are whole and include
// their line ends. The edits in but do not count.
func (h *History) HadLine(lines, but map[string]bool) bool {
	h.mu.Lock()
	defer h.unlock()
	if len(lines) == 0 {
		return false
	}
	now := h.log.text
	for _, e := range slices.Backward(h.log.entries) {
		was, shift := apply(e.change.Invert(), now), 0
		for _, ch := range e.change {
			if but[e.id] {
				break
			}
			at := ch.At + shift
			shift += ch.Delta()
			left := wholeLines(now, at, at+len(ch.New))
			for line := range strings.Lines(wholeLines(was, ch.At, ch.End())) {
				if lines[line] && !strings.Contains("\n"+left, "\n"+line) {
					return true
				}
			}
		}
		now = was
	}
	return false
}

// wholeLines returns the whole lines of t that [start,end] touches.
func wholeLines(t text.Text, start, end int) string {
	if t.Lines() == 0 {
		return ""
	}
	last := t.Lines() - 1
	return t.Slice(t.Line(min(t.LineAt(start), last)).Start, t.Line(min(t.LineAt(end), last)).Next)
}

// Record adds a change of unknown origin, the user's or another program's, that led to the text now. It returns the number
// of the boundary after the change. If c does not turn the text before into now, Record adds the difference of the two texts
// instead. Its cost does not depend on the length of the log, except for its share of compacting.
func (h *History) Record(c changeset.Changeset, now text.Text) int {
	h.mu.Lock()
	defer h.unlock()
	if was := h.log.text; was.Len()+c.Delta() != now.Len() || !c.Fits(was) || !c.Invert().Fits(now) {
		c = difference(was, now)
	}
	h.log.record(now, c.Then(nil))
	return h.log.seq
}

// Typed is [History.Record] for several changes, each based on the text that the previous
// one left. The last one led to the text now.
func (h *History) Typed(now text.Text, typed []changeset.Change) int {
	h.mu.Lock()
	defer h.unlock()
	if l := &h.log; len(typed) >= h.Limits.Loose && len(l.entries) == 0 && !l.first.held() { // compact would drop all of them
		l.text, l.seq = now, l.seq+len(typed)
		l.first = &boundary{seq: l.seq}
		return l.seq
	}
	all := make([]changeset.Changeset, len(typed))
	for i, one := range typed {
		all[i] = changeset.Replaced(text.New(one.Old), 0, len(one.Old), one.New)
		for k := range all[i] {
			all[i][k].At += one.At
		}
	}
	h.log.record(now, all...)
	return h.log.seq
}

// CatchUp says that the text became now without a notification: the document was opened again, or changed on disk. The
// difference, if any, is recorded as one change. If now is an earlier text, as when unsaved changes were thrown away, the
// edits since then count as undone.
func (h *History) CatchUp(now text.Text) { h.ThrowAway(now, math.MaxInt) }

// ThrowAway is [History.CatchUp] for a caller that knows that everything after boundary since was thrown away.
func (h *History) ThrowAway(now text.Text, since int) {
	h.mu.Lock()
	defer h.unlock()
	l := &h.log
	if l.text.Equal(now) {
		return
	}
	was := now
	if !strings.Contains(l.text.String(), "\r\n") {
		was = text.New(text.Plain(now.String()))
	}
	var c changeset.Changeset
	k := l.boundaryWith(was, 0)
	if k >= 0 {
		c = fold(l.entries[k:]).Invert().Then(lineEnds(was.String(), now.String()))
	} else {
		c = difference(l.text, now)
		k, _ = l.boundary(since)
	}
	if k < len(l.entries) {
		for _, e := range l.entries[k:] {
			if e.isAgents() {
				h.endings.add(ending{l.release(e), true}, h.Limits)
			}
		}
		h.pieces = pieces{}
	}
	l.record(now, c.Then(nil))
}

// maxLookedAt bounds how many earlier texts of the right length are compared.
const maxLookedAt = 8

// boundaryWith returns the newest boundary, from index from on, at which the text was now, or -1 if there is none.
func (l *log) boundaryWith(now text.Text, from int) int {
	size, left := l.text.Len(), maxLookedAt
	for k := len(l.entries) - 1; k >= from && left > 0; k-- {
		if size -= l.entries[k].change.Delta(); size != now.Len() {
			continue
		}
		left--
		if l.textAt(k).Equal(now) {
			return k
		}
	}
	return -1
}

// difference returns a small changeset that turns t into now, byte for byte.
func difference(t, now text.Text) changeset.Changeset {
	c := changeset.Of(diff.Rewrite(t, 0, t.Len(), now.String()), t)
	return c.Then(lineEnds(c.Edits().Apply(t).String(), now.String()))
}

// lineEnds returns a changeset that turns s into now. If they differ in more than the
// kinds of line ends, the whole difference is one change.
func lineEnds(s, now string) (c changeset.Changeset) {
	for i, j := 0, 0; i < len(s) || j < len(now); {
		switch {
		case i < len(s) && j < len(now) && s[i] == now[j]:
			i, j = i+1, j+1
		case strings.HasPrefix(s[i:], "\r\n") && strings.HasPrefix(now[j:], "\n"):
			c = append(c, changeset.Change{At: i, Old: "\r"})
			i++
		case strings.HasPrefix(s[i:], "\n") && strings.HasPrefix(now[j:], "\r\n"):
			c = append(c, changeset.Change{At: i, New: "\r"})
			j++
		default:
			return changeset.Changeset{{At: 0, Old: s, New: now}}.Then(nil)
		}
	}
	return c
}
