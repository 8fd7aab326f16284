package history

import (
	"slices"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Journal is what was typed and is not in the log yet. Typing costs next to nothing
// so; it is composed when somebody asks. The zero value is empty.
type journal struct {
	changes []typedChange
	bytes   []byte // what they take out and put in, one after the other
	count   int    // changes told, of which several may be one here
}

// typedChange replaces old bytes at byte at of the text that the one before it left
// by new bytes; both are in the journal from byte off on.
type typedChange struct {
	at, old, new, off int
	keys              bool // made of changes of a character or two
}

// maxJournaled and maxJournaledBytes bound a journal.
const (
	maxJournaled      = 256
	maxJournaledBytes = 64 << 10
)

// add takes in that [start,end) of buf is about to be replaced by put.
func (j *journal) add(buf *text.Buffer, start, end int, put string) {
	j.count++
	off := len(j.bytes)
	j.bytes = append(buf.Append(j.bytes, start, end), put...)
	one := typedChange{at: start, old: end - start, new: len(put), off: off}
	// An editor's undo of more than that stays apart, or it would not be known.
	one.keys = one.old+one.new < minReverted*utf8.UTFMax && utf8.RuneCount(j.bytes[off:]) < minReverted
	if !j.goesOn(one) {
		j.changes = append(j.changes, one)
	}
}

// goesOn makes one change with the last one of typing on, of deleting on, and of
// deleting what was just typed.
func (j *journal) goesOn(one typedChange) bool {
	if len(j.changes) == 0 || !one.keys {
		return false
	}
	last := &j.changes[len(j.changes)-1]
	switch {
	case !last.keys:
		return false
	case last.old == 0 && one.old == 0 && one.at == last.at+last.new:
		last.new += one.new
	case last.new == 0 && one.new == 0 && one.at == last.at:
		last.old += one.old
	case last.old == 0 && one.new == 0 && one.at+one.old == last.at+last.new && one.at > last.at:
		last.new -= one.old
		j.bytes = j.bytes[:one.off-one.old]
	default:
		return false
	}
	return true
}

// changesetOf returns changes, whose bytes are in all, as one changeset, whose changes may
// touch.
func changesetOf(changes []typedChange, all string) changeset.Changeset {
	es := make([]*entry, len(changes))
	for i, c := range changes {
		one := changeset.Change{At: c.at, Old: all[c.off : c.off+c.old], New: all[c.off+c.old : c.off+c.old+c.new]}
		es[i] = &entry{change: changeset.Changeset{one}}
		if one.Old != "" && one.New != "" {
			es[i].change = trimmed(one)
		}
	}
	return fold(es)
}

// trimmed is [changeset.Replaced] without the text around.
func trimmed(one changeset.Change) changeset.Changeset {
	c := changeset.Replaced(text.New(one.Old), 0, len(one.Old), one.New)
	for i := range c {
		c[i].At += one.At
	}
	return c
}

// lock is for whoever looks at the log: what was typed is in it then.
func (h *History) lock() {
	h.mu.Lock()
	if h.typed.count > 0 {
		h.enter(nil)
	}
}

// enter moves the journal to the log, after which the text is now; nil where nobody knows
// it. What begins with the undo of an agent's edit, or several, is told as such.
func (h *History) enter(now *text.Text) {
	j, all := h.typed, string(h.typed.bytes)
	h.typed = journal{changes: j.changes[:0], bytes: j.bytes[:0]}
	rest := j.changes
	for {
		c, n := h.begunWith(rest, all)
		if n == 0 {
			c, n = changesetOf(rest, all), len(rest)
		}
		if rest = rest[n:]; len(rest) == 0 {
			if now == nil {
				t := applied(c, h.text)
				now = &t
			}
			h.append(c, j.count, *now)
			h.recognizeUndone()
			return
		}
		h.text = applied(c, h.text)
		h.insert(len(h.log), &entry{change: c, end: &boundary{seq: h.seq, lost: true}})
		h.loose++
	}
}

// begunWith returns the undo of an agent's edit that the first n of the changes are, or the
// redo; n is 0 where they are none. The bytes are in all.
func (h *History) begunWith(changes []typedChange, all string) (c changeset.Changeset, n int) {
	if h.agents == 0 || len(changes) == 0 {
		return nil, 0
	}
	takings := h.stackAt(len(h.log)).takings()
	delta, tried := 0, 0
	for i, ch := range changes {
		delta += ch.new - ch.old
		if !slices.ContainsFunc(takings, func(w taking) bool { return w.delta == delta }) {
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		told := changesetOf(changes[:i+1], all)
		for _, w := range takings {
			if w.redo && i+1 < len(changes) && isMove(told, changesetOf(changes[i+1:i+2], all)) {
				continue
			}
			if exact, ok := w.isMade(told, h.text); ok && w.delta == delta {
				return exact, i + 1
			}
		}
	}
	return nil, 0
}

// Journal is [History.Record] for a change that is about to be made in buf, which
// has the text.
func (h *History) Journal(buf *text.Buffer, start, end int, put string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.typed.add(buf, start, end, put)
}

// Journaled says that the changes were made. It reports whether it is to be told of
// the next ones: not if they have been many since anybody looked, and neither is
// there an edit that they could be in the way of.
func (h *History) Journaled(buf *text.Buffer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.typed.count < maxJournaled && len(h.typed.bytes) < maxJournaledBytes {
		return true
	}
	now := buf.Snapshot()
	h.enter(&now)
	h.compact()
	if len(h.log) > 0 {
		return true
	}
	h.first = &boundary{seq: h.seq, lost: true}
	return false
}

// TypedTo says that the text is now, after what is in the journal or n changes that
// nobody was told of. It returns the number of the newest boundary.
func (h *History) TypedTo(now text.Text, n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.typed.count > 0 {
		h.enter(&now)
	}
	if n > 0 {
		h.seq += n
		h.text, h.first = now, &boundary{seq: h.seq}
	}
	return h.seq
}
