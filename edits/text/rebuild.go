package text

import "slices"

// rebuild is splice for any change. It makes new chunks for everything that the change touches.
func (b *Buffer) rebuild(start, end int, s string) {
	c := &b.cur
	c.seekByte(&b.tree, start)
	first, head := c.at.bytes, c.chunk().text()[:start-c.at.bytes]
	if end > c.end() {
		c.seekByte(&b.tree, max(start, end-1))
	}
	last, tail := c.end(), c.chunk().text()[end-c.at.bytes:]
	p, first, last := b.widen([]byte(head+s+tail), first, last)
	for at := first; at < last && b.tree.borrowed > 0; at = c.end() {
		if c.seekByte(&b.tree, at); b.tree.borrows(c.chunk()) {
			b.tree.borrowed -= int(c.chunk().bytes)
		}
	}
	var cs []chunk
	if len(p) > 0 {
		cs = cut(stringOf(p), func(part string) chunk {
			q := make([]byte, roomFor(len(part)))
			return makeChunk(q[:copy(q, part)], len(q))
		})
	}
	ns := b.graft(b.tree.root, first, last, cs)
	if len(ns) == 0 {
		ns = leaves([]chunk{{}}, b.epoch)
	}
	root := rootOf(ns, b.epoch)
	for root.branch != nil && root.branch.n == 1 {
		root = root.branch.children[0]
	}
	b.tree.root = root
	b.leave()
}

// widen adds neighbouring chunks to p, which will replace the chunks from first
// to last, until p is large enough for a chunk and cuts no code point.
func (b *Buffer) widen(p []byte, first, last int) (wider []byte, from, to int) {
	c := &b.cur
	for {
		small := len(p) < minChunk
		if first > 0 {
			c.seekByte(&b.tree, first-1)
			if s := c.chunk().text(); small || straddles(s, stringOf(p)) {
				p = slices.Insert(p, 0, c.chunk().data()...)
				first = c.at.bytes
				continue
			}
		}
		if last < b.tree.root.sum.bytes {
			c.seekByte(&b.tree, last)
			if s := c.chunk().text(); small || straddles(stringOf(p), s) {
				p = append(p, s...)
				last += len(s)
				continue
			}
		}
		return p, first, last
	}
}

// graft replaces the chunks of n from first to last by cs; first and last are offsets of chunk boundaries, counted from the
// start of n. It returns the nodes that replace n: none if nothing is left of it, else nodes of its height. If there is only
// one, it may have too few children.
func (b *Buffer) graft(n node, first, last int, cs []chunk) []node {
	if n.leaf != nil {
		all := b.chunks(make([]chunk, 0, maxLeaf+len(cs)), n.leaf)
		i, at := 0, 0
		for ; i < len(all) && at < first; i++ {
			at += int(all[i].bytes)
		}
		j := i
		for ; j < len(all) && (at < last || all[j].bytes == 0); j++ {
			at += int(all[j].bytes)
		}
		return leaves(slices.Replace(all, i, j, cs...), b.epoch)
	}
	// The children in [i,j) change; the new chunks go into the first of them.
	children := n.branch.children[:n.branch.n]
	i, at := 0, 0
	for ; first >= at+children[i].sum.bytes; i++ {
		at += children[i].sum.bytes
	}
	ns := append(make([]node, 0, 2*maxBranch), children[:i]...)
	j := i
	for ; j < len(children) && at < last; j++ {
		size := children[j].sum.bytes
		if j == i || at+size > last { // otherwise the whole child is replaced
			ns = append(ns, b.graft(children[j], max(0, first-at), min(size, last-at), cs)...)
			cs = nil
		}
		at += size
	}
	changed := len(ns)
	ns = append(ns, children[j:]...)
	return branches(b.mend(ns, i, changed), b.epoch)
}

// mend joins each node of ns[from:to] that has too few children with a neighbour.
func (b *Buffer) mend(ns []node, from, to int) []node {
	for i := min(from, len(ns)-1); len(ns) > 1 && i < min(to, len(ns)); {
		if size, least := ns[i].size(); size >= least {
			i++
			continue
		}
		if i == len(ns)-1 {
			i--
		}
		joined := b.join(ns[i], ns[i+1])
		ns = slices.Replace(ns, i, i+2, joined...)
		to += len(joined) - 2
	}
	return ns
}

// join returns the children of two nodes in one node, or in two that have enough of them.
func (b *Buffer) join(m, n node) []node {
	if m.leaf != nil {
		return leaves(b.chunks(b.chunks(nil, m.leaf), n.leaf), b.epoch)
	}
	all := slices.Concat(m.branch.children[:m.branch.n], n.branch.children[:n.branch.n])
	// A branch that was left with a single child could not mend that child.
	return branches(b.mend(all, 0, len(all)), b.epoch)
}

// chunks appends the chunks of l to dst. If the buffer does not own the leaf, the chunks
// get no room, so that the buffer does not write them.
func (b *Buffer) chunks(dst []chunk, l *leaf) []chunk {
	from := len(dst)
	dst = append(dst, l.chunks[:l.n]...)
	if l.epoch != b.epoch {
		for i := range dst[from:] {
			dst[from+i].room = 0
		}
	}
	return dst
}
