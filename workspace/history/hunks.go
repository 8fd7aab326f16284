package history

import (
	"errors"
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
	defer h.unlock()
	rest, left := h.log.entries, []piece(nil)
	if i := slices.Index(rest, h.known.upTo); i >= 0 {
		rest, left = rest[i+1:], h.known.left
	}
	for len(rest) > 0 {
		n := runLen(rest)
		if len(left) > 0 {
			left = carried(left, fold(rest[:n]))
		}
		if e := rest[0]; e.isAgents() {
			left = append(slices.Clip(left), e.written()...)
			h.known = pieces{left, e}
		}
		rest = rest[n:]
	}
	return h.log.inOrder(left), h.log.text
}

// pieces are those that are left after the entry upTo, which is an agent's, or was: so that
// a keystroke costs what came after that. They count as long as it is in the log.
type pieces struct {
	left []piece
	upTo *entry
}

// found is a hunk of which pieces are left.
type found struct {
	Hunk
	wrote bool // something of what it wrote is left
	near  bool // what it took away may be back, and
	back  bool // it is
}

// inOrder makes hunks of what is left of them.
func (l *log) inOrder(left []piece) []Hunk {
	all := map[*Hunk]*found{}
	var order []*found
	for _, p := range left {
		if p.isOver() {
			continue
		}
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
		f.near = f.near || l.standsBeside(p)
	}
	l.findBack(order)
	var out []Hunk
	for _, f := range order {
		if !f.back {
			out = append(out, f.Hunk)
		}
	}
	slices.SortStableFunc(out, func(a, b Hunk) int { return a.Start - b.Start })
	return out
}

// piece is a part of a hunk that is left.
type piece struct {
	of         *Hunk
	edit       *entry
	start, end int
	was        string // where nothing was put in its place
	touched    bool   // where nothing was: something was put in or taken out right there since
}

// isOver reports whether nobody is to review the hunk any more: it was kept, or nobody can
// ask for the edit.
func (p piece) isOver() bool {
	_, kept := slices.BinarySearch(p.edit.hunks.kept, p.of.Number)
	return kept || !p.edit.isAgents()
}

// written returns the hunks of an edit, where they are in the text after it.
func (e *entry) written() []piece {
	var out []piece
	byNumber := map[int]*Hunk{}
	shift := 0
	for i, c := range e.change {
		start, number := c.At+shift, e.hunks.of[i]
		shift += c.Delta()
		hunk := byNumber[number]
		if hunk == nil {
			hunk = &Hunk{ID: e.id, Number: number}
			byNumber[number] = hunk
		}
		hunk.Removed += strings.Count(c.Old, "\n")
		p := piece{of: hunk, edit: e, start: start, end: start + len(c.New)}
		if c.New == "" {
			p.was = c.Old
		}
		out = append(out, p)
	}
	return out
}

// standsBeside reports whether what a hunk took out stands there, be it again or more
// than once. What nobody touched since is back only if somebody put it in nearby.
func (l *log) standsBeside(p piece) bool {
	n := len(p.was)
	return p.start == p.end && (p.touched || n >= minReverted) &&
		(p.end+n <= l.text.Len() && l.text.Slice(p.end, p.end+n) == p.was || p.start >= n && l.text.Slice(p.start-n, p.start) == p.was) &&
		(p.touched || l.wasPutIn(p))
}

// wasPutIn reports whether somebody may have put in, since the edit, what a hunk of it
// took out, which may be told by another place.
func (l *log) wasPutIn(p piece) bool {
	for _, e := range slices.Backward(l.entries) {
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

// carried returns what c leaves of pieces that are not over, and where that is after it.
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
		if i := sort.Search(len(c), func(i int) bool { return c[i].End() >= p.start }); !p.isOver() {
			out = p.after(out, c[i:], shifts[i])
		}
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
			out = append(out, piece{of: p.of, edit: p.edit, start: from + shift, end: ch.At + shift})
		}
		from, shift = max(from, ch.End()), shift+ch.Delta()
	}
	if from < p.end || p.start == p.end {
		return add(from, p.end)
	}
	return out
}

// maxLookedFor bounds the work to find out which hunks are back, in changes that are passed
// over. The text is locked meanwhile.
const maxLookedFor = 1 << 15

// findBack finds those of the hunks, of which nothing is left but what they took out,
// where somebody has put that back. Of an edit with very many hunks, of which some are
// back and others are not, none may be found.
func (l *log) findBack(hunks []*found) {
	of := map[string][]*found{}
	for _, f := range hunks {
		if !f.wrote && f.near {
			of[f.ID] = append(of[f.ID], f)
		}
	}
	cost := 0
	for i, e := range slices.Backward(l.entries) {
		mine := of[e.id]
		if len(mine) == 0 || i == len(l.entries)-1 {
			continue
		}
		each := len(e.change)
		for _, later := range l.entries[i+1:] {
			each += 1 + len(later.change)
		}
		// An editor's own undo puts back all of them.
		for _, some := range append([][]*found{mine}, slices.Collect(slices.Chunk(mine, 1))...) {
			if some[0].back {
				continue
			}
			if cost > maxLookedFor {
				return
			}
			cost += each
			back := l.isBack(i, some)
			for _, f := range some {
				f.back = back
			}
		}
	}
}

// isBack reports whether somebody has put back what these hunks of entry i took out.
func (l *log) isBack(i int, hunks []*found) bool {
	numbers := make([]int, len(hunks))
	for k, f := range hunks {
		numbers[k] = f.Number
	}
	_, part := l.entries[i].split(numbers)
	_, err := l.after(i + 1).takeBack(part)
	met, ok := errors.AsType[*UndoConflict](err)
	return ok && met.AlreadyUndone
}
