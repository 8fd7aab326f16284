package history

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Hunk is what is left of one hunk of an agent's edit.
type Hunk struct {
	ID     string // of the edit
	Number int    // of the hunk among those of the edit, from 1
	// Start and End are where it is in the text now: from the first byte of it that is
	// left to the last one.
	Start, End int
	// Removed is how many line ends the hunk took out.
	Removed int
}

// Hunks returns what is left of the edits that are remembered and were not kept, in the
// order of the text now, which comes along. What somebody has typed into a hunk is
// between its ends; what they have typed at its ends is not in it. A hunk of which
// nothing is left is not there any more. One that only took text away is empty, and is
// there until the text around it goes, or what it took away is back.
func (h *History) Hunks() ([]Hunk, text.Text) {
	h.lock()
	defer h.mu.Unlock()
	rest := h.log
	if h.agents == 0 {
		return nil, h.text
	}
	if h.pieces.upTo != nil {
		rest = rest[1+slices.Index(rest, h.pieces.upTo):]
	}
	left := h.pieces.left
	for len(rest) > 0 {
		n := runLen(rest)
		if len(left) > 0 {
			left = carried(left, fold(rest[:n]))
		}
		if e := rest[0]; e.id != "" {
			left = append(slices.Clip(left), e.written()...)
			h.pieces = pieces{left, e}
		}
		rest = rest[n:]
	}
	return h.inOrder(left), h.text
}

// pieces are those that are left after the entry upTo, which is an agent's; so that a
// keystroke costs what came after that. Zero where that is to be found out.
type pieces struct {
	left []piece
	upTo *entry
}

// drop takes out hunks of an edit, those of no numbers all.
func (p *pieces) drop(id string, numbers []int) {
	p.left = slices.DeleteFunc(slices.Clone(p.left), func(x piece) bool {
		_, is := slices.BinarySearch(numbers, x.of.Number)
		return x.of.ID == id && (is || len(numbers) == 0)
	})
}

// inOrder makes hunks of what is left of them.
func (h *History) inOrder(left []piece) []Hunk {
	type found struct {
		Hunk
		wrote, near bool // something of what it wrote is left; what it took away may be back
	}
	all := map[*Hunk]*found{}
	var order []*found
	for _, p := range left {
		f := all[p.of]
		if f == nil {
			f = &found{Hunk: *p.of}
			f.Start, f.End = p.start, p.end
			all[p.of] = f
			order = append(order, f)
		}
		if wrote := p.start < p.end; wrote == f.wrote {
			f.Start, f.End = min(f.Start, p.start), max(f.End, p.end)
		} else if wrote {
			f.Start, f.End, f.wrote = p.start, p.end, true
		}
		f.near = f.near || h.standsBeside(p)
	}
	var out, maybe []Hunk
	for _, f := range order {
		if !f.wrote && f.near {
			maybe = append(maybe, f.Hunk)
		}
	}
	back := h.restored(maybe)
	for _, f := range order {
		if !back[f.Hunk] {
			out = append(out, f.Hunk)
		}
	}
	slices.SortStableFunc(out, func(a, b Hunk) int { return a.Start - b.Start })
	return out
}

// piece is a part of a hunk that is left.
type piece struct {
	of         *Hunk
	start, end int
	was        string // where nothing was put in its place
	touched    bool   // where nothing was: something was put in or taken out right there since
}

// written returns the hunks of an edit, where they are in the text after it.
func (e *entry) written() []piece {
	var out []piece
	byNumber := map[int]*Hunk{}
	shift := 0
	for i, c := range e.change {
		start, number := c.At+shift, e.hunks.of[i]
		shift += c.Delta()
		if _, kept := slices.BinarySearch(e.hunks.kept, number); kept {
			continue
		}
		hunk := byNumber[number]
		if hunk == nil {
			hunk = &Hunk{ID: e.id, Number: number}
			byNumber[number] = hunk
		}
		hunk.Removed += strings.Count(c.Old, "\n")
		p := piece{of: hunk, start: start, end: start + len(c.New)}
		if c.New == "" {
			p.was = c.Old
		}
		out = append(out, p)
	}
	return out
}

// standsBeside reports whether what a hunk took out stands there, be it again or more
// than once. What nobody touched since is back only if somebody put it in nearby.
func (h *History) standsBeside(p piece) bool {
	n := len(p.was)
	return p.start == p.end && (p.touched || n >= minReverted) &&
		(p.end+n <= h.text.Len() && h.text.Slice(p.end, p.end+n) == p.was || p.start >= n && h.text.Slice(p.start-n, p.start) == p.was) &&
		(p.touched || h.wasPutIn(p))
}

// wasPutIn reports whether somebody may have put in, since the edit, what a hunk of it
// took out, which may be told by another place.
func (h *History) wasPutIn(p piece) bool {
	for _, e := range slices.Backward(h.log) {
		if e.id == p.of.ID {
			return false
		}
		for _, ch := range e.change {
			if ch.Old == "" && (!e.isAgents() || changeset.MayBeTurned(ch.New, p.was)) {
				return true // what a person types may be a letter at a time
			}
		}
	}
	return true
}

// carried returns what c leaves of pieces, and where that is after it.
func carried(pieces []piece, c changeset.Changeset) []piece {
	if len(c) == 0 {
		return pieces
	}
	shifts := make([]int, len(c)+1) // by what is before each change
	for i, ch := range c {
		shifts[i+1] = shifts[i] + ch.Delta()
	}
	out := make([]piece, 0, len(pieces)+len(c))
	for _, p := range pieces {
		i := sort.Search(len(c), func(i int) bool { return c[i].End() >= p.start })
		out = p.after(out, c[i:], shifts[i])
	}
	return out
}

// after appends what c leaves of a piece, which changes before these have shifted.
func (p piece) after(out []piece, c changeset.Changeset, shift int) []piece {
	from := p.start
	add := func(start, end int) []piece {
		p.start, p.end = start+shift, end+shift
		return append(out, p)
	}
	for _, ch := range c {
		if p.start == p.end { // a place between two bytes
			p.touched = p.touched || ch.At == p.start || ch.End() == p.start
			switch {
			case ch.At >= p.start:
				return add(p.start, p.start)
			case ch.End() > p.start:
				return out
			}
		}
		if ch.At >= p.end {
			break
		}
		if from < ch.At {
			out = append(out, piece{of: p.of, start: from + shift, end: ch.At + shift})
		}
		from, shift = max(from, ch.End()), shift+ch.Delta()
	}
	if from < p.end || p.start == p.end {
		return add(from, p.end)
	}
	return out
}
