package history

import (
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// journal is what was typed and is not in the log yet, each change of the text that the
// one before it left: so typing costs next to nothing until somebody asks.
type journal struct {
	changes []changeset.Change
	bytes   int // that they take out and put in
}

// maxJournaled and maxJournaledBytes bound a journal.
const (
	maxJournaled      = 256
	maxJournaledBytes = 64 << 10
)

// lock is for whoever looks at the log: what was typed is in it then.
func (h *History) lock() {
	h.mu.Lock()
	if len(h.typed.changes) > 0 {
		h.enter(nil)
	}
}

// unlock keeps the history within its limits, and lets others in.
func (h *History) unlock() {
	h.limit()
	h.mu.Unlock()
}

// enter moves the journal to the log, after which the text is now; nil where nobody knows
// it. There is a boundary behind the last change alone.
func (h *History) enter(now *text.Text) {
	first := len(h.log)
	for _, one := range h.typed.changes {
		c := changeset.Replaced(text.New(one.Old), 0, len(one.Old), one.New)
		for i := range c {
			c[i].At += one.At
		}
		h.insert(len(h.log), &entry{change: c, end: &boundary{seq: h.seq, lost: true}})
	}
	if now == nil {
		t := applied(fold(h.log[first:]), h.text)
		now = &t
	}
	h.text = *now
	h.seq += len(h.typed.changes)
	h.loose += len(h.typed.changes)
	h.log[len(h.log)-1].end = &boundary{seq: h.seq}
	h.typed = journal{changes: h.typed.changes[:0]}
	h.recognizeUndone(first)
}

// Journal is [History.Record] for a change that is about to be made in buf, which
// has the text.
func (h *History) Journal(buf *text.Buffer, start, end int, put string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := changeset.Change{At: start, Old: buf.Slice(start, end), New: strings.Clone(put)}
	h.typed.changes = append(h.typed.changes, one)
	h.typed.bytes += one.Size()
}

// Journaled says that the changes were made. It reports whether it is to be told of
// the next ones: not if they have been many since anybody looked, and neither is
// there an edit that they could be in the way of.
func (h *History) Journaled(buf *text.Buffer) bool {
	h.mu.Lock()
	defer h.unlock()
	if len(h.typed.changes) < maxJournaled && h.typed.bytes < maxJournaledBytes {
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
	defer h.unlock()
	if len(h.typed.changes) > 0 {
		h.enter(&now)
	}
	if n > 0 {
		h.seq += n
		h.text, h.first = now, &boundary{seq: h.seq}
	}
	return h.seq
}
