package history

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Hunk is what is left of one hunk of an agent's edit.
type Hunk struct {
	ID     string // of the edit
	Number int    // of the hunk among those of the edit, from 1
	// Start and End are the place of the hunk in the text now: from the first of its bytes that are left to the last one.
	Start, End int
	// Removed is how many line ends the hunk took out.
	Removed int
}

// Hunks returns what is left of the hunks of remembered edits that were not kept, sorted by their place in the text now, and
// that text. Text that the user typed inside a hunk belongs to it; text typed at its ends does not. A hunk of which nothing
// is left is not returned. A hunk that only removed text is empty, and is returned until the text around it is removed, or
// the text that it removed is back.
func (h *History) Hunks() ([]Hunk, text.Text) {
	h.mu.Lock()
	defer h.unlock()
	rest, left := h.log.entries, []piece(nil)
	if i := slices.Index(rest, h.pieces.upTo); i >= 0 {
		rest, left = rest[i+1:], h.pieces.items
	}
	left = replay(rest, left, func(left []piece, e *entry) []piece {
		left = append(slices.Clip(left), e.newPieces()...)
		h.pieces = pieces{left, e}
		return left
	})
	return inOrder(left, h.log.text), h.log.text
}

// Traces is Hunks, with the hunks that were kept.
func (h *History) Traces() ([]Hunk, text.Text) {
	h.mu.Lock()
	defer h.unlock()
	left := replay(h.log.entries, nil, func(left []piece, e *entry) []piece {
		unkept := *e
		unkept.hunks.numbers = nil
		return append(left, unkept.newPieces()...)
	})
	return inOrder(left, h.log.text), h.log.text
}

// replay returns what entries leave of pieces. with adds the pieces of an agent's edit to those that are left after it.
func replay(rest []*entry, left []piece, with func(left []piece, e *entry) []piece) []piece {
	for len(rest) > 0 {
		n := runLen(rest)
		if len(left) > 0 {
			left = carry(left, fold(rest[:n]))
		}
		if e := rest[0]; e.isAgents() {
			left = with(left, e)
		}
		rest = rest[n:]
	}
	return left
}

// pieces are the pieces that are left after the entry upTo, which is or was an agent's edit. They are cached so that a
// keystroke costs only what came after upTo. The cache is valid as long as upTo is in the log.
type pieces struct {
	items []piece
	upTo  *entry
}

// hunkState is a hunk, and what the text still has of it.
type hunkState struct {
	Hunk
	wrote   bool // something of what it wrote is left
	missing bool // something that it took out is not back
}

// inOrder joins the pieces that are left into hunks, sorted by their place in the text now.
func inOrder(left []piece, now text.Text) []Hunk {
	all := map[*Hunk]*hunkState{}
	var order []*hunkState
	for _, p := range left {
		if p.isOver() {
			continue
		}
		f := all[p.of]
		if f == nil {
			f = &hunkState{Hunk: *p.of}
			f.Start, f.End = p.start, p.start
			all[p.of] = f
			order = append(order, f)
		}
		f.missing = f.missing || !p.isBack(now)
		if wrote := p.was == ""; wrote == f.wrote {
			f.Start, f.End = min(f.Start, p.start), max(f.End, p.end)
		} else if wrote {
			f.Start, f.End, f.wrote = p.start, p.end, true
		}
	}
	out := lists.FilterMap(order, func(f *hunkState) (Hunk, bool) { return f.Hunk, f.wrote || f.missing })
	slices.SortStableFunc(out, func(a, b Hunk) int { return a.Start - b.Start })
	return out
}

// piece is a part of a hunk that is left: a text that it wrote, or the place between two bytes
// where it took a text out and put none in.
type piece struct {
	of         *Hunk
	edit       *entry
	start, end int

	was      string // of a place: the text that was removed there
	from, to int    // and the range of the text inserted there since
}

// isOver reports whether the hunk is not to be reviewed any more: it was kept, or the edit cannot be asked for.
func (p piece) isOver() bool {
	_, kept := slices.BinarySearch(p.edit.hunks.numbers, p.of.Number)
	return kept || !p.edit.isAgents()
}

// isBack reports whether the text that was removed at a place was inserted there again, perhaps
// with more text around it. A short text must stand alone: the user may type the same letter.
func (p piece) isBack(now text.Text) bool {
	put := now.Slice(p.from, p.to)
	return put == p.was || len(p.was) >= minReverted && strings.Contains(put, p.was)
}

// newPieces returns the pieces of an edit's hunks, at their places in the text after the edit.
func (e *entry) newPieces() []piece {
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
			p.was, p.from, p.to = c.Old, start, start
		}
		out = append(out, p)
	}
	return out
}

// carry returns what c leaves of the pieces that are not over, at their places after c.
func carry(pieces []piece, c changeset.Changeset) []piece {
	if len(c) == 0 {
		return pieces
	}
	shifts := make([]int, len(c)+1) // by the changes before each change
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

// after appends to out what c leaves of a piece. Earlier changes have moved it by shift.
func (p piece) after(out []piece, c changeset.Changeset, shift int) []piece {
	if p.was != "" {
		near := c[:sort.Search(len(c), func(i int) bool { return c[i].At > p.to })]
		p.from, p.to = became(near, p.from, p.to)
		p.from, p.to = p.from+shift, p.to+shift
		for _, ch := range near {
			switch {
			case ch.End() <= p.start && ch.At < p.start:
				shift += ch.Delta()
			case ch.At < p.start:
				return out // the place was removed with the text around it
			}
		}
		p.start, p.end = p.start+shift, p.start+shift
		return append(out, p)
	}
	from := p.start
	for _, ch := range c {
		if ch.At >= p.end {
			break
		}
		if from < ch.At {
			out = append(out, piece{of: p.of, edit: p.edit, start: from + shift, end: ch.At + shift})
		}
		from, shift = max(from, ch.End()), shift+ch.Delta()
	}
	if from < p.end {
		out = append(out, piece{of: p.of, edit: p.edit, start: from + shift, end: p.end + shift})
	}
	return out
}
