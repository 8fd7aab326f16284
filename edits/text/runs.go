package text

import (
	"iter"
	"math"
)

// runs goes over a tree, giving pieces as long as they lie in memory.
type runs struct {
	tree *tree
	cur  cursor
	done bool
}

// next returns the piece that begins with the cursor's leaf, "" after the last. It is no
// longer than it has to be to have most bytes.
func (r *runs) next(most int) string {
	if r.done {
		return ""
	}
	c := &r.cur
	s := c.text()
	// Leaves that are neighbours in one original are one piece.
	var origin string
	from := -1
	if c.twig.alias.has(c.leaf) {
		for _, origin = range r.tree.origins {
			if from = offsetIn(origin, c.twig.p[c.leaf]); from >= 0 {
				break
			}
		}
	}
	to := from + len(s)
	for r.done = !c.next(); from >= 0 && to-from < most && !r.done; r.done = !c.next() {
		if !c.twig.alias.has(c.leaf) || offsetIn(origin, c.twig.p[c.leaf]) != to {
			break
		}
		to += c.size()
	}
	if from < 0 {
		return s
	}
	return origin[from:to]
}

// Runs yields the text in pieces that lie in memory as they are: the whole text
// where it is in one piece, and else untouched stretches and leaves of some
// hundred bytes. No piece is empty, and none cuts a code point.
func (t Text) Runs() iter.Seq[string] {
	return func(yield func(string) bool) {
		d := t.data()
		if s := d.flat.Load(); s != nil {
			if *s != "" {
				yield(*s)
			}
			return
		}
		r := runs{tree: d.asTree()}
		r.cur.seekByte(r.tree, 0)
		for s := r.next(math.MaxInt); s != ""; s = r.next(math.MaxInt) {
			if !yield(s) {
				return
			}
		}
	}
}
