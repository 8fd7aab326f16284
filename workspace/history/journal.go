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

// take empties the journal. It returns what differs by each of the changes.
func (j *journal) take() []changeset.Changeset {
	all := make([]changeset.Changeset, len(j.changes))
	for i, one := range j.changes {
		all[i] = changeset.Replaced(text.New(one.Old), 0, len(one.Old), one.New)
		for k := range all[i] {
			all[i][k].At += one.At
		}
	}
	*j = journal{}
	return all
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
	h.log.record(buf.Snapshot(), h.typed.take()...)
	h.log.compact()
	if len(h.log.entries) > 0 {
		return true
	}
	h.log.first = &boundary{seq: h.log.seq, lost: true}
	return false
}

// TypedTo says that the text is now, after what is in the journal or n changes that
// nobody was told of. It returns the number of the newest boundary.
func (h *History) TypedTo(now text.Text, n int) int {
	h.mu.Lock()
	defer h.unlock()
	if typed := h.typed.take(); len(typed) > 0 {
		h.log.record(now, typed...)
	}
	if n > 0 {
		h.log.seq += n
		h.log.text, h.log.first = now, &boundary{seq: h.log.seq}
	}
	return h.log.seq
}
