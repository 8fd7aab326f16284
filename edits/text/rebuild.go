package text

import "slices"

// rebuild is splice for any change: it makes new leaves for all that the change
// touches.
func (b *Buffer) rebuild(start, end int, s string) sum {
	before := b.tree.root.sum
	c := &b.cur
	c.seekByte(&b.tree, start)
	first, head := c.at.bytes, c.text()[:start-c.at.bytes]
	if end > c.at.bytes+c.size() {
		c.seekByte(&b.tree, max(start, end-1))
	}
	last, tail := c.at.bytes+c.size(), c.text()[end-c.at.bytes:]
	p := append(append(append(b.scratch[:0], head...), s...), tail...)
	p, first, last = b.widen(p, first, last)
	if cap(p) <= 4*maxLeaf {
		b.scratch = p
	}
	b.discount(first, last)
	b.graft(first, last, b.leavesOf(p))
	b.leave()
	if b.wasteful() {
		b.letGo()
	}
	return b.tree.root.sum.minus(before)
}

// widen takes neighbours into p, which is to replace the leaves from first to
// last, until p is no small leaf and cuts no code point.
func (b *Buffer) widen(p []byte, first, last int) (wider []byte, from, to int) {
	c := &b.cur
	for {
		small := len(p) < minLeaf
		if first > 0 {
			c.seekByte(&b.tree, first-1)
			if s := c.text(); small || straddles(s, stringOf(p)) {
				p = append(p, s...)
				copy(p[len(s):], p)
				copy(p, s)
				first = c.at.bytes
				continue
			}
		}
		if last < b.tree.root.sum.bytes {
			c.seekByte(&b.tree, last)
			if s := c.text(); small || straddles(stringOf(p), s) {
				p = append(p, s...)
				last += len(s)
				continue
			}
		}
		return p, first, last
	}
}

// leavesOf returns leaves of the bytes of p, none of them p's own.
func (b *Buffer) leavesOf(p []byte) []leaf {
	if len(p) >= longText {
		s := string(p)
		b.tree.origins = append(slices.Clip(b.tree.origins), s)
		b.tree.pinned += len(s)
		b.tree.aliased += len(s)
		return sliced(s)
	}
	ls := make([]leaf, 0, pieces(len(p)))
	for n := pieces(len(p)); n > 0; n-- {
		end := cut(stringOf(p), len(p)/n)
		q := make([]byte, roomFor(end))
		copy(q, p[:end])
		if end > 0 {
			ls = append(ls, makeLeaf(q[:end], len(q), true, false))
		}
		p = p[end:]
	}
	return ls
}

// longText is from how many bytes on a text that is put in stays in one piece.
const longText = 64 << 10

// discount notes that the leaves from first to last are about to go.
func (b *Buffer) discount(first, last int) {
	if b.tree.aliased == 0 {
		return
	}
	c := &b.cur
	for at := first; at < last; at = c.at.bytes + c.size() {
		c.seekByte(&b.tree, at)
		if c.twig.alias.has(c.leaf) {
			b.tree.aliased -= c.size()
		}
	}
}
