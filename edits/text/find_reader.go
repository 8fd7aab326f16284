package text

// reader goes over the runs of a text, and looks about from there.
type reader struct {
	d    *data
	runs *runs  // nil for a text in one piece
	run  string // the piece [base,base+len(run)) of the text
	base int

	side cursor // for what is outside of the run
	cost int    // of comparing, in bytes, since it was set to 0
}

// compareCost is what is reckoned for a comparison of a line beside its bytes, seekCost
// for one that goes to another run.
const (
	compareCost = 16
	seekCost    = 256
)

// next goes to the following run, at first to the first one. It reports whether
// there is one.
func (r *reader) next() bool {
	switch s, flat := r.d.flat(); {
	case r.runs != nil:
	case r.run != "":
		return false
	case flat:
		r.run = s
		return true
	default:
		r.runs = r.d.runs(0)
	}
	r.base += len(r.run)
	r.run = r.runs.next()
	return r.run != ""
}

// byteAt returns the byte at off, -1 outside of the text.
func (r *reader) byteAt(off int) int {
	if i := off - r.base; i >= 0 && i < len(r.run) {
		return int(r.run[i])
	}
	if r.runs == nil || off < 0 || off >= r.d.size {
		return -1
	}
	r.cost += seekCost
	r.side.seek(r.runs.tree, off)
	return int(r.side.text()[off-r.side.at.bytes])
}

// stands reports whether s is what the text has at off.
func (r *reader) stands(off int, s string) bool {
	r.cost += compareCost
	if off < 0 || off+len(s) > r.d.size {
		return false
	}
	from, to := max(off, r.base), min(off+len(s), r.base+len(r.run))
	if from >= to {
		return r.standsAside(off, s)
	}
	if here := s[from-off : to-off]; !r.equal(r.run[from-r.base:to-r.base], here) {
		return false
	}
	return r.standsAside(off, s[:from-off]) && r.standsAside(to, s[to-off:])
}

// equal compares two strings of one length, of which most differ at once.
func (r *reader) equal(s, t string) bool {
	const head = 16
	if len(s) > head {
		if s[:head] != t[:head] {
			return false
		}
		r.cost += len(s)
	}
	return s == t
}

// standsAside is stands for what is outside of the run.
func (r *reader) standsAside(off int, s string) bool {
	for s != "" {
		r.cost += seekCost
		r.side.seek(r.runs.tree, off)
		leaf := r.side.text()[off-r.side.at.bytes:]
		n := min(len(leaf), len(s))
		if leaf[:n] != s[:n] {
			return false
		}
		off, s = off+n, s[n:]
	}
	return true
}
