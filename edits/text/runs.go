package text

import (
	"iter"
	"math"
)

// runs iterates over a text in pieces that are contiguous in memory.
type runs struct {
	flat string // the text, if it is in one piece
	tree *tree  // the text, if it is not
	cur  cursor
	done bool
}

func (d *data) runs() (r runs) {
	if s := d.flat.Load(); s != nil {
		r.flat = *s
	} else {
		r.tree = d.asTree()
		r.cur.seekByte(r.tree, 0)
	}
	return r
}

// next returns the next piece, or "" after the last. A piece of a tree begins with the cursor's chunk,
// and ends at the latest with the chunk with which it has most bytes or more.
func (r *runs) next(most int) string {
	if r.done {
		return ""
	}
	if r.tree == nil {
		r.done = true
		return r.flat
	}
	c := &r.cur
	s := c.chunk().text()
	// Chunks that are neighbours in the origin are one piece.
	from := offsetIn(r.tree.origin, c.chunk().p)
	to := from + len(s)
	for r.done = !c.next(); from >= 0 && to-from < most && !r.done; r.done = !c.next() {
		if offsetIn(r.tree.origin, c.chunk().p) != to {
			break
		}
		to += int(c.chunk().bytes)
	}
	if from < 0 {
		return s
	}
	return r.tree.origin[from:to]
}

// Runs yields the text in pieces, without copying: the whole text if it is in one piece, otherwise stretches that were not
// edited and chunks of some hundred bytes. No piece is empty, and none cuts a code point.
func (t Text) Runs() iter.Seq[string] {
	return func(yield func(string) bool) {
		r := t.data().runs()
		for s := r.next(math.MaxInt); s != ""; s = r.next(math.MaxInt) {
			if !yield(s) {
				return
			}
		}
	}
}
