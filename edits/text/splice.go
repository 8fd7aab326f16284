package text

import "unicode/utf8"

// splice replaces [start,end), which must be in the text, by s, and returns by
// what the text grew.
func (b *Buffer) splice(start, end int, s string) sum {
	c := &b.cur
	// At the seam of two leaves, the one where the cursor is will do.
	if c.twig == nil || start < c.at.bytes || start > c.at.bytes+c.size() || end > c.at.bytes+c.size() {
		c.seekByte(&b.tree, start)
	}
	if end <= c.at.bytes+c.size() {
		if delta, ok := b.spliceLeaf(start-c.at.bytes, end-c.at.bytes, s); ok {
			return delta
		}
	}
	return b.rebuild(start, end, s)
}

// spliceLeaf replaces [from,to) of the cursor's leaf in place. It refuses what
// leaves the leaf too large or too small, and what is not about whole code points.
func (b *Buffer) spliceLeaf(from, to int, s string) (sum, bool) {
	c := &b.cur
	size := c.size()
	n := size - (to - from) + len(s)
	if n > maxLeaf || (n < minLeaf && n < size && size != b.tree.root.sum.bytes) || c.twig.bad.has(c.leaf) {
		return sum{}, false
	}
	delta, ok := countChange(c.text(), from, to, s)
	if !ok {
		return sum{}, false
	}
	b.own()
	w, i := c.twig, c.leaf
	if old := w.data(i); w.own.has(i) && n <= int(w.room[i]) {
		p := view(w.p[i], int(w.room[i]))
		copy(p[from+len(s):n], old[to:])
		copy(p[from:], s)
	} else {
		b.replaceLeaf(w, i, from, to, s)
	}
	w.bytes[i] += uint16(delta.bytes)
	w.lines[i] += uint16(delta.lines)
	w.runes[i] += uint16(delta.runes)
	w.astral[i] += uint16(delta.astral)
	for _, at := range c.path[:c.height] {
		at.branch.kids[at.kid].sum = at.branch.kids[at.kid].sum.plus(delta)
	}
	b.tree.root.sum = b.tree.root.sum.plus(delta)
	if b.wasteful() {
		b.letGo()
	}
	return delta, true
}

// countChange returns by what a leaf that is valid grows with s in the place of
// [from,to). It refuses a cut code point and an s that is not valid.
func countChange(leaf string, from, to int, s string) (sum, bool) {
	put, valid := measure(s)
	if !valid || !startsRune(leaf, from) || !startsRune(leaf, to) {
		return sum{}, false
	}
	return put.minus(count(leaf[from:to], true)), true
}

func startsRune(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// replaceLeaf gives leaf i of w memory of its own, with s in the place of
// [from,to). The counters are the caller's to change.
func (b *Buffer) replaceLeaf(w *twig, i, from, to int, s string) {
	old := w.data(i)
	n := len(old) - (to - from) + len(s)
	room := roomFor(n)
	if !w.alias.has(i) { // not the first edit here: there will be more
		room = max(n, min(room+moreGrowth, maxLeaf))
	}
	p := make([]byte, room)
	copy(p, old[:from])
	copy(p[from:], s)
	copy(p[from+len(s):], old[to:])
	if w.alias.has(i) {
		b.tree.aliased -= len(old)
		w.alias = w.alias.with(i, false)
	}
	w.p[i], w.room[i] = &p[0], uint16(len(p))
	w.own = w.own.with(i, true)
}

// roomFor returns how much to allocate for a leaf of n bytes: a little more, in
// the steps that Go allocates in, so that one in 64 typed characters allocates.
func roomFor(n int) int {
	const step = growth
	return (n/step + 1) * step
}

// growth is by how many bytes the memory of a leaf grows, moreGrowth is how many
// more where somebody is typing.
const (
	growth     = 64
	moreGrowth = 64
)

// own makes the nodes on the way to the cursor ones that the buffer may write.
func (b *Buffer) own() {
	c := &b.cur
	if c.twig.epoch == b.epoch {
		return // then so are those above: they were copied with it or after it
	}
	k := &b.tree.root
	for i := range c.height {
		at := &c.path[i]
		if at.branch.epoch != b.epoch {
			at.branch = at.branch.clone(b.epoch)
			k.branch = at.branch
		}
		k = &at.branch.kids[at.kid]
	}
	c.twig = c.twig.clone(b.epoch)
	k.twig = c.twig
}
