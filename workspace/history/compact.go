package history

// compact composes neighbours that are no agent's where nobody needs the boundary
// between them, and drops what no edit and no mark precedes, since nothing is ever
// carried over that. Unless all is set, an entry is composed with one that is much
// larger only when it has grown itself, so that a change is copied a logarithmic
// number of times.
func (h *History) compact(all bool) {
	out := h.log[:0]
	for rest := h.log; len(rest) > 0; {
		n := looseLen(rest)
		if len(out) > 0 && isTakenBack([]*entry{out[len(out)-1], rest[0]}) {
			n = 1 // together with others it would not be known for that
		}
		if all {
			out = append(out, h.compose(rest[:n]))
		} else {
			out = h.settle(out, rest[:n])
		}
		rest = rest[n:]
	}
	clear(h.log[len(out):])
	h.log = out
	for len(h.log) > 0 && h.log[0].id == "" && !h.first.held() {
		h.dropFirst()
	}
	h.loose = 0
}

// looseLen returns how many of the entries may be composed to one.
func looseLen(es []*entry) int {
	n := 1
	for n < len(es) && es[n-1].id == "" && es[n].id == "" && !es[n-1].end.held() {
		n++
	}
	return n
}

// settle appends entries that may be composed to out, those of about one size
// composed.
func (h *History) settle(out, es []*entry) []*entry {
	base := len(out)
	for _, e := range es {
		for len(out) > base && out[len(out)-1].size() <= 2*e.size() {
			e = h.compose([]*entry{out[len(out)-1], e})
			out = out[:len(out)-1]
		}
		out = append(out, e)
	}
	return out
}

// compose returns one entry that does what es do.
func (h *History) compose(es []*entry) *entry {
	if len(es) == 1 {
		return es[0]
	}
	for _, e := range es {
		h.count(e, -1)
	}
	e := &entry{change: fold(es), end: es[len(es)-1].end}
	h.count(e, 1)
	return e
}
