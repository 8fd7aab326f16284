package text

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// Buffer is a text that is edited in place. It is not safe for concurrent use. The [Text] values that it returns are
// immutable nevertheless, and may be read while the buffer is edited.
//
// The bytes that are put in are copied. The text that NewBuffer takes is not: it
// is shared until more than a quarter of it is replaced.
type Buffer struct {
	// The text is tree if the buffer was edited since its last snapshot, else snap. While
	// only snap holds the text, a reader that makes it contiguous frees the old nodes.
	edited bool
	tree   tree
	snap   Text
	// epoch marks the nodes that only this buffer has. A snapshot ends the epoch.
	epoch uint64
	cur   cursor
}

// epochs is the last epoch of any buffer. Nodes that no buffer owns have epoch 0.
var epochs atomic.Uint64

// NewBuffer returns a buffer that holds t.
func NewBuffer(t Text) *Buffer { return &Buffer{snap: t} }

// Snapshot returns the current text. It takes constant time; the next edit copies the nodes on its path.
func (b *Buffer) Snapshot() Text {
	if b.edited {
		b.snap = ofTree(b.tree)
		b.tree, b.edited = tree{}, false
	}
	b.leave()
	return b.snap
}

// current returns the tree of the text, for reading.
func (b *Buffer) current() *tree {
	if b.edited {
		return &b.tree
	}
	return b.snap.data().asTree()
}

// edit prepares the buffer for an edit: its text is in its own tree afterwards.
func (b *Buffer) edit() {
	if !b.edited {
		b.tree, b.edited = *b.current(), true
		b.snap = Text{}
		b.epoch = epochs.Add(1)
		b.leave()
	}
}

// leave forgets the cursor's path in the tree, but not its line.
func (b *Buffer) leave() { b.cur.path, b.cur.leaf = [maxHeight]step{}, nil }

// Len returns the number of bytes.
func (b *Buffer) Len() int {
	if b.edited {
		return b.tree.root.sum.bytes
	}
	return b.snap.Len()
}

// Slice returns a copy of the bytes from start up to end.
func (b *Buffer) Slice(start, end int) string {
	b.check(start, end)
	t, c := b.current(), &b.cur
	out := make([]byte, 0, end-start)
	for at := start; at < end; at = c.end() {
		c.seekByte(t, at)
		s := c.chunk().text()
		out = append(out, s[at-c.at.bytes:min(len(s), end-c.at.bytes)]...)
	}
	return stringOf(out)
}

// Position is [Text.Position] of the buffer's text.
func (b *Buffer) Position(off int, enc Encoding) Position {
	return b.cur.position(b.current(), off, enc)
}

// Offset is [Text.Offset] of the buffer's text.
func (b *Buffer) Offset(p Position, enc Encoding) int {
	return b.cur.offset(b.current(), p, enc)
}

// Replace replaces [start,end) by s.
func (b *Buffer) Replace(start, end int, s string) {
	b.check(start, end)
	b.edit()
	b.splice(start, end, s)
}

func (b *Buffer) check(start, end int) {
	if start < 0 || end < start || end > b.Len() {
		panic(fmt.Sprintf("text: [%d,%d) is not in a text of %d bytes", start, end, b.Len()))
	}
}

// splice replaces [start,end), which must be in the text, by s.
func (b *Buffer) splice(start, end int, s string) {
	c := &b.cur
	c.line.known = false
	// At the boundary of two chunks, either will do, so the cursor need not move.
	if c.leaf == nil || start < c.at.bytes || start > c.end() || end > c.end() {
		c.seekByte(&b.tree, start)
	}
	if end > c.end() || !b.spliceChunk(start-c.at.bytes, end-c.at.bytes, s) {
		b.rebuild(start, end, s)
	}
	if b.isWasteful() {
		b.compact()
	}
}

// spliceChunk replaces [from,to) of the cursor's chunk in place. It returns false, and
// does nothing, if the chunk would be too large or too small, or a code point be cut.
func (b *Buffer) spliceChunk(from, to int, s string) bool {
	k := b.cur.chunk()
	old := k.text()
	n := len(old) - (to - from) + len(s)
	put, valid := measure(s)
	switch {
	case n > maxChunk, n < minChunk && n < len(old) && len(old) != b.tree.root.sum.bytes, k.invalid, !valid,
		!startsRune(old, from), !startsRune(old, to):
		return false
	}
	delta := put.minus(count(old[from:to], true))
	b.own()
	if k = b.cur.chunk(); k.room > 0 && n <= int(k.room) {
		p := view(k.p, int(k.room))
		copy(p[from+len(s):n], p[to:len(old)])
		copy(p[from:], s)
	} else {
		b.replaceChunk(k, from, to, s)
	}
	k.bytes += uint16(delta.bytes)
	k.lines += uint16(delta.lines)
	k.runes += uint16(delta.runes)
	k.pairs += uint16(delta.pairs)
	for i := range b.cur.height {
		at := &b.cur.path[i]
		at.branch.children[at.child].sum.add(&delta)
	}
	b.tree.root.sum.add(&delta)
	return true
}

func startsRune(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// replaceChunk gives a chunk memory of its own, with s in the place of [from,to). The caller must update the counters.
func (b *Buffer) replaceChunk(k *chunk, from, to int, s string) {
	old := k.data()
	n := len(old) - (to - from) + len(s)
	room := roomFor(n)
	if b.tree.borrows(k) {
		b.tree.borrowed -= len(old)
	} else { // not the first edit here: there will be more
		room = max(n, min(room+moreGrowth, maxChunk))
	}
	p := make([]byte, room)
	copy(p, old[:from])
	copy(p[from:], s)
	copy(p[from+len(s):], old[to:])
	k.p, k.room = &p[0], uint16(room)
}

// roomFor returns how much to allocate for a chunk of n bytes: a little more, in
// the steps that Go allocates in, so that one in 64 typed characters allocates.
func roomFor(n int) int { return (n/growth + 1) * growth }

// growth is by how many bytes the memory of a chunk grows. moreGrowth is added where the user is typing.
const (
	growth     = 64
	moreGrowth = 64
)

// own copies the nodes on the path to the cursor that the buffer may not write.
func (b *Buffer) own() {
	c := &b.cur
	if c.leaf.epoch == b.epoch {
		return // so are the nodes above: they were copied with the leaf or after it
	}
	n := &b.tree.root
	for i := range c.height {
		at := &c.path[i]
		if at.branch.epoch != b.epoch {
			at.branch = at.branch.clone(b.epoch)
			n.branch = at.branch
		}
		n = &at.branch.children[at.child]
	}
	c.leaf = c.leaf.clone(b.epoch)
	n.leaf = c.leaf
}

// isWasteful reports whether more than a quarter of the origin is kept without use. With that limit, a text and its overhead
// take less than 1.4 times its bytes, and the cost of copying is amortized over the edits that led to it.
func (b *Buffer) isWasteful() bool {
	return len(b.tree.origin)-b.tree.borrowed > len(b.tree.origin)/4
}

// compact copies the chunks that are still part of the origin, and drops the origin.
func (b *Buffer) compact() {
	b.tree.root = b.tree.root.moved(b.epoch, func(k *chunk) {
		if b.tree.borrows(k) {
			b.replaceChunk(k, 0, 0, "")
		}
	})
	b.tree.origin, b.tree.borrowed = "", 0
	b.leave()
}

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
