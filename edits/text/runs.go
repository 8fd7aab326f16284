package text

import (
	"fmt"
	"iter"
	"math"
	"strings"
)

// runs goes over a tree, giving pieces as long as they lie in memory.
type runs struct {
	tree *tree
	cur  cursor
	done bool
}

// next returns the piece that begins with the cursor's leaf, "" after the last.
func (r *runs) next() string { return r.nextOf(math.MaxInt) }

// nextOf is next for who needs no more than n bytes. It may return more, and
// less than lies together if that is enough.
func (r *runs) nextOf(n int) string {
	if r.done {
		return ""
	}
	c := &r.cur
	s := c.text()
	if len(s) >= n || !c.twig.alias.has(c.leaf) {
		r.done = !c.next()
		return s
	}
	// Leaves that are neighbours in one original are one piece.
	var origin string
	from := -1
	for _, origin = range r.tree.origins {
		if from = offsetIn(origin, c.twig.p[c.leaf]); from >= 0 {
			break
		}
	}
	to := from + len(s)
	for {
		if r.done = !c.next(); r.done || to-from >= n {
			break
		}
		if !c.twig.alias.has(c.leaf) || offsetIn(origin, c.twig.p[c.leaf]) != to {
			break
		}
		to += c.size()
	}
	return origin[from:to]
}

// Runs yields the text in pieces that lie in memory as they are: the whole text
// where it is in one piece, and else untouched stretches and leaves of some
// hundred bytes. No piece is empty, and none cuts a code point.
func (t Text) Runs() iter.Seq[string] {
	return func(yield func(string) bool) {
		if t.d == nil {
			return
		}
		if s, ok := t.d.flat(); ok {
			yield(s)
			return
		}
		r := t.d.runs(0)
		for s := r.next(); s != ""; s = r.next() {
			if !yield(s) {
				return
			}
		}
	}
}

// runs returns the runs from the leaf on that holds the byte at off.
func (d *data) runs(off int) *runs {
	r := &runs{tree: d.grown()}
	r.cur.seekByte(r.tree, off)
	return r
}

// piece is [Text.Slice] of a text that did not come in one piece.
func (t Text) piece(start, end int) string {
	d, size := t.d, t.Len()
	if d != nil {
		if s, ok := d.flat(); ok {
			return s[start:end]
		}
	}
	if start < 0 || end < start || end > size {
		panic(fmt.Sprintf("text: [%d,%d) is not in a text of %d bytes", start, end, size))
	}
	if start == end {
		return ""
	}
	var c cursor
	tree := d.grown()
	c.seekByte(tree, start)
	skip := start - c.at.bytes
	if leaf := c.text(); end-start <= len(leaf)-skip {
		return leaf[skip : skip+end-start]
	}
	r := runs{tree: tree, cur: c}
	s := r.nextOf(skip + end - start)
	if end-start <= len(s)-skip {
		return s[skip : skip+end-start]
	}
	var b strings.Builder
	b.Grow(end - start)
	for s = s[skip:]; b.Len() < end-start; s = r.nextOf(end - start - b.Len()) {
		b.WriteString(s[:min(len(s), end-start-b.Len())])
	}
	return b.String()
}

// equalRuns reports whether two texts of one length, of which one is not in one
// piece, hold the same bytes. Pieces that they share are not looked at.
func equalRuns(d, e *data) bool {
	if a, b := d.tree.Load(), e.tree.Load(); a != nil && b != nil && a.root == b.root {
		return true
	}
	var s, t string
	next, also := d.pieces(), e.pieces()
	for {
		if s == "" {
			s = next()
		}
		if t == "" {
			t = also()
		}
		n := min(len(s), len(t))
		if n == 0 {
			return s == t
		}
		if s[:n] != t[:n] {
			return false
		}
		s, t = s[n:], t[n:]
	}
}

// pieces returns what gives the text's runs one by one, and then "".
func (d *data) pieces() func() string {
	if s, ok := d.flat(); ok {
		return func() string {
			whole := s
			s = ""
			return whole
		}
	}
	return d.runs(0).next
}
