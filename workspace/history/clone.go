package history

import "slices"

// Clone returns a history of its own that knows what h knows now, for those who want to
// see what would come of something. Nobody holds a place in it.
func (h *History) Clone() *History {
	h.lock()
	defer h.unlock()
	c := &History{
		Limits: h.Limits, text: h.text, seq: h.seq, agents: h.agents, bytes: h.bytes, loose: h.loose,
		ended: slices.Clone(h.ended), thrown: slices.Clone(h.thrown),
	}
	c.first = h.first.unheld()
	for _, e := range h.log {
		own := *e
		own.end = e.end.unheld()
		c.log = append(c.log, &own)
	}
	return c
}

func (b *boundary) unheld() *boundary {
	return &boundary{seq: b.seq, lost: b.lost, drift: b.drift}
}
