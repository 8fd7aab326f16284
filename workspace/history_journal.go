package workspace

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// journal is what was typed and is not in the log yet. Typing costs next to nothing
// so; it is composed when somebody asks. The zero value is empty.
type journal struct {
	changes []typedChange
	bytes   []byte // what they take out and put in, one after the other
	count   int    // changes told, of which several may be one here
}

// typedChange replaces old bytes at byte at of the text that the one before it left
// by new bytes; both are in the journal from byte off on.
type typedChange struct{ at, old, new, off int }

// mostJournaled and mostJournaledBytes bound a journal.
const (
	mostJournaled      = 256
	mostJournaledBytes = 64 << 10
)

// add takes in that [start,end) of buf is about to be replaced by put.
func (j *journal) add(buf *text.Buffer, start, end int, put string) {
	j.count++
	if j.goesOn(buf, start, end, put) {
		return
	}
	off := len(j.bytes)
	j.bytes = append(buf.Append(j.bytes, start, end), put...)
	j.changes = append(j.changes, typedChange{start, end - start, len(put), off})
}

// goesOn makes one change with the last one of typing on, of deleting on, and of
// deleting what was just typed.
func (j *journal) goesOn(buf *text.Buffer, start, end int, put string) bool {
	if len(j.changes) == 0 {
		return false
	}
	last := &j.changes[len(j.changes)-1]
	switch {
	case last.old == 0 && start == end && start == last.at+last.new:
		j.bytes = append(j.bytes, put...)
		last.new += len(put)
	case last.new == 0 && put == "" && start == last.at:
		j.bytes = buf.Append(j.bytes, start, end)
		last.old += end - start
	case last.old == 0 && put == "" && end == last.at+last.new && start > last.at:
		last.new -= end - start
		j.bytes = j.bytes[:len(j.bytes)-(end-start)]
	default:
		return false
	}
	return true
}

// changeset returns what was typed as one changeset, whose changes may touch.
func (j *journal) changeset() edits.Changeset {
	all := string(j.bytes)
	es := make([]*entry, len(j.changes))
	for i, c := range j.changes {
		one := edits.Change{At: c.at, Old: all[c.off : c.off+c.old], New: all[c.off+c.old : c.off+c.old+c.new]}
		es[i] = &entry{change: edits.Changeset{one}}
		if one.Old != "" && one.New != "" {
			es[i].change = trimmed(one)
		}
	}
	return fold(es)
}

// trimmed is [edits.Replaced] without the text around.
func trimmed(one edits.Change) edits.Changeset {
	c := edits.Replaced(text.New(one.Old), 0, len(one.Old), one.New)
	for i := range c {
		c[i].At += one.At
	}
	return c
}

// lock is for whoever looks at the log: what was typed is in it then.
func (h *History) lock() {
	h.mu.Lock()
	if h.typed.count > 0 {
		c := h.typed.changeset()
		h.enter(c, applied(c, h.text))
	}
}

// enter moves the journal, which is c, to the log.
func (h *History) enter(c edits.Changeset, now text.Text) {
	n := h.typed.count
	h.typed = journal{changes: h.typed.changes[:0], bytes: h.typed.bytes[:0]}
	h.append(c, n, now)
}

// journal is [History.Record] for a change that is about to be made in buf, which
// has the text.
func (h *History) journal(buf *text.Buffer, start, end int, put string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.typed.add(buf, start, end, put)
}

// journaled says that the changes were made. It reports whether it is to be told of
// the next ones: not if they have been many since anybody looked, and neither is
// there an edit that they could be in the way of.
func (h *History) journaled(buf *text.Buffer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.typed.count < mostJournaled && len(h.typed.bytes) < mostJournaledBytes {
		return true
	}
	h.enter(h.typed.changeset(), buf.Snapshot())
	h.compact(false)
	if len(h.log) > 0 {
		return true
	}
	h.first = &boundary{seq: h.seq, lost: true}
	return false
}

// typedTo says that the text is now, after what is in the journal or n changes that
// nobody was told of. It returns the number of the newest boundary.
func (h *History) typedTo(now text.Text, n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.typed.count > 0 {
		h.enter(h.typed.changeset(), now)
	}
	if n > 0 {
		h.seq += n
		h.text, h.first = now, &boundary{seq: h.seq}
	}
	return h.seq
}
