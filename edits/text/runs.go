package text

import (
	"iter"
	"math"
)

// runs goes over a text, giving pieces as long as they lie in memory.
type runs struct {
	flat string // the text, if it is in one piece
	tree *tree  // else
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

// next returns the next piece, "" after the last. One of a tree begins with the cursor's chunk, and
// is no longer than it has to be to have most bytes.
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

// Runs yields the text in pieces that lie in memory as they are: the whole text
// where it is in one piece, and else untouched stretches and chunks of some
// hundred bytes. No piece is empty, and none cuts a code point.
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
