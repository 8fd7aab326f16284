package history

// compact composes neighbours that are no agent's where nobody needs the boundary
// between them, and drops what no edit and no mark precedes, since nothing is ever
// carried over that.
func (h *History) compact() {
	out := h.log[:0]
	for rest := h.log; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n-1].id == "" && rest[n].id == "" && !rest[n-1].end.held() {
			n++
		}
		if len(out) > 0 && isTakenBack([]*entry{out[len(out)-1], rest[0]}) {
			n = 1 // together with others it would not be known for that
		}
		out = append(out, h.compose(rest[:n]))
		rest = rest[n:]
	}
	clear(h.log[len(out):])
	h.log = out
	for len(h.log) > 0 && h.log[0].id == "" && !h.first.held() {
		h.dropFirst()
	}
	h.loose = 0
}

// compose returns one entry that does what es do. The first of them may be what was
// composed before, and large: it is copied once.
func (h *History) compose(es []*entry) *entry {
	if len(es) == 1 {
		return es[0]
	}
	for _, e := range es {
		h.count(e, -1)
	}
	e := &entry{change: es[0].change.ThenApart(fold(es[1:])), end: es[len(es)-1].end}
	h.count(e, 1)
	return e
}
