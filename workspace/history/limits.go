package history

import "slices"

// Limits bound what a [History] remembers. Beyond, the oldest goes.
type Limits struct {
	Marks int // that Since can be asked for
	Edits int // that can be undone
	Bytes int // of the changes remembered; what a pin keeps may exceed them
	Loose int // changes recorded before those that nobody needs are composed
}

var defaultLimits = Limits{Marks: 200, Edits: 1000, Bytes: 16 << 20, Loose: 256}

// LimitBytes bounds what the history takes; 0 is the default.
func (h *History) LimitBytes(most int64) {
	if most == 0 {
		most = int64(defaultLimits.Bytes)
	}
	h.lock()
	defer h.unlock()
	h.Limits.Bytes = int(most)
}

// limit keeps the log within its bounds.
func (h *History) limit() {
	if h.loose >= h.Limits.Loose || h.bytes > h.Limits.Bytes {
		h.compact()
	}
	if h.bytes > h.Limits.Bytes {
		for h.bytes > h.Limits.Bytes/4*3 && h.droppable() { // so that it is not soon again
			h.dropFirst()
		}
	}
	for h.agents > h.Limits.Edits && h.droppable() {
		h.dropFirst()
	}
	for len(h.marks) > h.Limits.Marks {
		h.unmark(0)
	}
}

func (h *History) droppable() bool { return len(h.log) > 0 && h.first.pins == 0 }

// dropFirst forgets the oldest entry.
func (h *History) dropFirst() {
	h.marks = slices.DeleteFunc(h.marks, func(m mark) bool { return m.at == h.first })
	if e := h.log[0]; e.isAgents() {
		h.end(h.release(e), false)
	}
	h.count(h.log[0], -1)
	h.first, h.log[0] = h.log[0].end, nil
	h.log = h.log[1:]
}

// ending is what became of an edit that nobody can undo any more.
type ending struct {
	id   string
	gone bool // with a text that was thrown away; else it was forgotten
}

// end remembers what became of an edit, as long as there are not too many of them.
func (h *History) end(id string, gone bool) {
	h.ended = append(h.ended, ending{id, gone})
	h.ended = slices.Delete(h.ended, 0, max(0, len(h.ended)-h.Limits.Edits))
}
