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

// History is what happened to one document since it was first seen, see the package's
// page. It is safe for concurrent use.
type History struct {
	// Limits may be set before the first use, and are the history's after that.
	Limits Limits

	mu       sync.Mutex
	log      log
	marks    marks
	known    pieces // of the hunks
	ended    endings
	discards []span // that were thrown away, the oldest first
}

// Limits bound what a [History] remembers. Beyond, the oldest goes.
type Limits struct {
	Marks int // that Since can be asked for
	Edits int // that can be undone
	Bytes int // of the changes remembered; what a pin keeps may exceed them
	Loose int // changes recorded before those that are not needed one by one are composed
}

var defaultLimits = Limits{Marks: 200, Edits: 1000, Bytes: 16 << 20, Loose: 256}

// New returns the history of a document that is first seen as t.
func New(t text.Text) *History {
	return &History{Limits: defaultLimits, log: log{text: t, first: &boundary{}}}
}

// Clone returns a copy of h, in which a caller can try what a change would lead to. It has
// no marks and no pins.
func (h *History) Clone() *History {
	h.mu.Lock()
	defer h.unlock()
	return &History{Limits: h.Limits, log: h.log.clone(), ended: slices.Clone(h.ended), discards: slices.Clone(h.discards)}
}

// LimitBytes bounds what the history takes; 0 is the default.
func (h *History) LimitBytes(most int64) {
	if most == 0 {
		most = int64(defaultLimits.Bytes)
	}
	h.mu.Lock()
	defer h.unlock()
	h.Limits.Bytes = int(most)
}

// unlock keeps the history within its limits, and lets others in.
func (h *History) unlock() {
	for len(h.marks) > h.Limits.Marks {
		h.marks.drop(0)
	}
	for _, id := range h.log.shrink(h.Limits) {
		h.ended.add(ending{id: id}, h.Limits)
	}
	h.mu.Unlock()
}

// Text returns the text as of the newest change.
func (h *History) Text() text.Text {
	h.mu.Lock()
	defer h.unlock()
	return h.log.text
}

// Seq returns the number of changes recorded so far, which is the number of the
// newest boundary.
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

// Had reports whether a change that is remembered took s out of the text, so that the user
// may bring it back by undo or redo.
func (h *History) Had(s string) bool {
	h.mu.Lock()
	defer h.unlock()
	return slices.ContainsFunc(h.log.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.change, func(ch changeset.Change) bool { return strings.Contains(ch.Old, s) })
	})
}

// SeqOf returns the number of a boundary behind boundary since at which the text was t, false if none is
// remembered.
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

// HadLine reports whether a change that is remembered took one of these lines out of the text, which are whole and
// have their line ends. The edits but do not count.
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

// wholeLines returns the lines of t that begin or end in [start,end], or around it.
func wholeLines(t text.Text, start, end int) string {
	if t.Lines() == 0 {
		return ""
	}
	last := t.Lines() - 1
	return t.Slice(t.Line(min(t.LineAt(start), last)).Start, t.Line(min(t.LineAt(end), last)).Next)
}

// Record adds a change of unknown origin, the user's or another program's, that
// made the text now, and returns the number of the boundary after it. If c is not
// what made now of the text before, the difference of both is recorded instead.
// Its cost does not depend on the length of the log, but for a share of compacting
// it.
func (h *History) Record(c changeset.Changeset, now text.Text) int {
	h.mu.Lock()
	defer h.unlock()
	if was := h.log.text; was.Len()+c.Delta() != now.Len() || !c.Fits(was) || !c.Invert().Fits(now) {
		c = difference(was, now)
	}
	h.log.record(now, c.Then(nil))
	return h.log.seq
}

// Typed is [History.Record] for several changes, each of the text that the one before it
// left, of which the last made the text now.
func (h *History) Typed(now text.Text, typed []changeset.Change) int {
	h.mu.Lock()
	defer h.unlock()
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

// Idle reports whether the changes so far cannot be asked for: there is no edit to be undone, and
// no boundary is held. Then the changes that follow may be told by [History.Skip], and until that
// is called nothing is known of the text.
func (h *History) Idle() bool {
	h.mu.Lock()
	defer h.unlock()
	h.log.compact()
	if len(h.log.entries) > 0 {
		return false
	}
	h.log.first = &boundary{seq: h.log.seq, lost: true}
	return true
}

// Skip sets the text to now, after n changes of an idle history. It returns the number of
// the newest boundary.
func (h *History) Skip(now text.Text, n int) int {
	h.mu.Lock()
	defer h.unlock()
	h.log.seq += n
	h.log.text, h.log.first = now, &boundary{seq: h.log.seq}
	return h.log.seq
}

// CatchUp says that the text was replaced unseen: opened again, or changed on
// disk. What differs is recorded as one change, or nothing if nothing does. If it is
// an earlier text, as when unsaved changes were thrown away, the edits since then
// are undone.
func (h *History) CatchUp(now text.Text) { h.ThrowAway(now, math.MaxInt) }

// ThrowAway is [History.CatchUp] where it is known that all that was done after
// boundary since is gone.
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
				h.ended.add(ending{l.release(e), true}, h.Limits)
			}
		}
		h.known = pieces{}
		h.discards = append(h.discards, span{l.at(k).seq, l.seq})
		h.discards = h.discards[max(0, len(h.discards)-maxDiscards):]
	}
	l.record(now, c.Then(nil))
}

// span is what happened after boundary from, up to boundary to.
type span struct{ from, to int }

// maxDiscards bounds the spans that a history remembers.
const maxDiscards = 100

// maxLookedAt bounds how many earlier texts of the right length are compared.
const maxLookedAt = 8

// boundaryWith returns the newest boundary, from that one on, at which the text was now, -1 if there is
// none.
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

// difference returns a small changeset that makes t into now, byte for byte.
func difference(t, now text.Text) changeset.Changeset {
	c := changeset.Of(diff.Rewrite(t, 0, t.Len(), now.String()), t)
	return c.Then(lineEnds(c.Edits().Apply(t).String(), now.String()))
}

// lineEnds returns what makes s into now, which differ in the kinds of line ends
// only, or in anything: then all that differs is one change.
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
