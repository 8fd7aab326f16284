package workspace

import (
	"slices"

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

// changeset returns changes as one changeset, whose changes may touch.
func (j *journal) changeset(changes []typedChange) edits.Changeset {
	all := string(j.bytes)
	es := make([]*entry, len(changes))
	for i, c := range changes {
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
		h.enter(applied(h.typed.changeset(h.typed.changes), h.text))
	}
}

// enter moves the journal, after which the text is now, to the log.
func (h *History) enter(now text.Text) {
	j := h.typed
	h.typed = journal{changes: j.changes[:0], bytes: j.bytes[:0]}
	for {
		inverse, n := h.begunWith(&j)
		if j.changes = j.changes[n:]; n == 0 {
			break
		}
		if len(j.changes) == 0 {
			h.append(inverse, j.count, now)
			return
		}
		h.text = applied(inverse, h.text)
		h.insert(len(h.log), &entry{change: inverse, end: &boundary{seq: h.seq, lost: true}})
		h.loose++
	}
	h.append(j.changeset(j.changes), j.count, now)
}

// begunWith returns what a journal takes back by its first changes, see [History.takenBack],
// and how many those are: 0 where it takes nothing back.
func (h *History) begunWith(j *journal) (inverse edits.Changeset, n int) {
	ks := h.mayBeTakenBack()
	if len(ks) == 0 {
		return nil, 0
	}
	delta, left := 0, mostLookedAt
	for i, ch := range j.changes {
		delta += ch.new - ch.old
		if !slices.ContainsFunc(ks, func(k int) bool { return h.log[k].change.Delta() == -delta }) {
			continue
		}
		c := j.changeset(j.changes[:i+1])
		if inverse, ok := h.takenBack(c, func() (was, is text.Text) { return h.text, applied(c, h.text) }); ok {
			return inverse, i + 1
		}
		if left--; left == 0 {
			break
		}
	}
	return nil, 0
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
	h.enter(buf.Snapshot())
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
		h.enter(now)
	}
	if n > 0 {
		h.seq += n
		h.text, h.first = now, &boundary{seq: h.seq}
	}
	return h.seq
}
