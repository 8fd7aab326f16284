package text

import (
	"slices"
	"sync/atomic"
)

// tree is a text as a tree of chunks. All leaves are equally deep, and there is at least one chunk, which is empty only in
// the empty text. Trees may share nodes; the epoch of a node says which buffer may write it (see [Buffer]).
type tree struct {
	root node
	// origin is the string that chunks are parts of, "" if there is none; borrowed is how many of its bytes are in chunks.
	origin   string
	borrowed int
}

// The sizes of the tree's parts. A chunk of 512 bytes costs some 27 bytes more for
// its place in the tree, is copied in 20 ns, and is searched for a line in 50 ns.
const (
	maxChunk = 1024 // bytes; fits the counters of a chunk
	newChunk = 512  // the size of the chunks of a long text
	minChunk = 128  // only the one chunk of a small text is smaller

	maxLeaf, minLeaf     = 24, 8 // chunks
	maxBranch, minBranch = 16, 4 // nodes
)

// node is a leaf or a branch, with the sum of its chunks.
type node struct {
	sum    summary
	leaf   *leaf
	branch *branch
}

// leaf is a node that holds chunks. It may be written only by the buffer whose epoch it has.
type leaf struct {
	epoch  uint64
	hash   atomic.Pointer[hash]      // nil until it is first needed
	lines  atomic.Pointer[leafLines] // nil until they are first needed
	n      int
	chunks [maxLeaf]chunk
}

// branch is a node whose children are nodes: all of them leaves, or all of them
// branches of one height. It may be written only by the buffer whose epoch it has.
type branch struct {
	epoch    uint64
	hash     atomic.Pointer[hash] // nil until it is first needed
	n        int
	children [maxBranch]node
}

// chunk is a stretch of text that never cuts a code point.
type chunk struct {
	p                          *byte
	bytes, lines, runes, pairs uint16 // see summary
	room                       uint16 // bytes allocated at p, if the buffer of the leaf may write them; else 0
	invalid                    bool   // the text is not valid UTF-8
}

// makeChunk returns a chunk of p, whose bytes are not copied.
func makeChunk(p []byte, room int) chunk {
	m, valid := measure(stringOf(p))
	c := chunk{
		bytes: uint16(m.bytes), lines: uint16(m.lines), runes: uint16(m.runes), pairs: uint16(m.pairs),
		room: uint16(room), invalid: !valid,
	}
	if len(p) > 0 {
		c.p = &p[0]
	}
	return c
}

func (c *chunk) data() []byte { return view(c.p, int(c.bytes)) }

// text returns the chunk as a string that is valid until the chunk is written.
func (c *chunk) text() string { return stringOf(c.data()) }

func (c *chunk) sum() summary {
	return summary{int(c.bytes), int(c.lines), int(c.runes), int(c.pairs)}
}

// borrows reports whether the chunk is a part of the tree's origin.
func (t *tree) borrows(c *chunk) bool { return offsetIn(t.origin, c.p) >= 0 }

// newTree returns the tree of s, whose chunks are parts of s.
func newTree(s string) *tree {
	t := &tree{origin: s, borrowed: len(s)}
	t.root = rootOf(leaves(cut(s, func(part string) chunk { return makeChunk(bytesOf(part), 0) }), 0), 0)
	return t
}

// cut returns chunks of s, at least one.
func cut(s string, chunkOf func(string) chunk) []chunk {
	n := 1
	if len(s) > maxChunk {
		n = (len(s) + newChunk - 1) / newChunk
	}
	cs := make([]chunk, 0, n)
	for ; n > 0; n-- {
		end := FloorRune(s, len(s)/n)
		cs = append(cs, chunkOf(s[:end]))
		s = s[end:]
	}
	return cs
}

// leaves returns the chunks in as few leaves as possible, evenly filled.
func leaves(cs []chunk, epoch uint64) []node {
	return spread(cs, maxLeaf, func(cs []chunk) node {
		l := &leaf{epoch: epoch}
		l.n = copy(l.chunks[:], cs)
		n := node{leaf: l}
		for i := range cs {
			n.sum = n.sum.plus(cs[i].sum())
		}
		return n
	})
}

// branches returns the nodes in as few branches as possible, evenly filled.
func branches(ns []node, epoch uint64) []node {
	return spread(ns, maxBranch, func(ns []node) node {
		b := &branch{epoch: epoch}
		b.n = copy(b.children[:], ns)
		n := node{branch: b}
		for i := range ns {
			n.sum = n.sum.plus(ns[i].sum)
		}
		return n
	})
}

func spread[T any](items []T, most int, nodeOf func([]T) node) []node {
	var ns []node
	for left := (len(items) + most - 1) / most; left > 0; left-- {
		size := len(items) / left
		ns = append(ns, nodeOf(items[:size]))
		items = items[size:]
	}
	return ns
}

// rootOf puts branches over the nodes, which have the same height, until one is left.
func rootOf(ns []node, epoch uint64) node {
	for len(ns) > 1 {
		ns = branches(ns, epoch)
	}
	return ns[0]
}

// size returns how many children the node has, and how many it must have.
func (n node) size() (size, least int) {
	if n.leaf != nil {
		return n.leaf.n, minLeaf
	}
	return n.branch.n, minBranch
}

// clone returns a copy that the buffer of the epoch may write, except for the chunks' bytes.
func (l *leaf) clone(epoch uint64) *leaf {
	c := &leaf{epoch: epoch, n: l.n, chunks: l.chunks}
	for i := range c.chunks {
		c.chunks[i].room = 0
	}
	return c
}

func (b *branch) clone(epoch uint64) *branch {
	return &branch{epoch: epoch, n: b.n, children: b.children}
}

// moved returns n in nodes of the epoch. It calls move for each chunk; move may put the chunk's bytes elsewhere.
func (n node) moved(epoch uint64, move func(*chunk)) node {
	switch l, b := n.leaf, n.branch; {
	case l != nil:
		if l.epoch != epoch || epoch == 0 {
			n.leaf = l.clone(epoch)
		}
		if epoch == 0 { // the new node is never written
			n.leaf.hash.Store(l.hash.Load())
			n.leaf.lines.Store(l.lines.Load())
		}
		for i := range n.leaf.n {
			move(&n.leaf.chunks[i])
		}
	default:
		if b.epoch != epoch || epoch == 0 {
			n.branch = b.clone(epoch)
		}
		if epoch == 0 {
			n.branch.hash.Store(b.hash.Load())
		}
		for i := range n.branch.n {
			n.branch.children[i] = n.branch.children[i].moved(epoch, move)
		}
	}
	return n
}

// flatten returns the text of t in one piece, and a tree whose chunks are parts of it.
func (t *tree) flatten() (string, *tree) {
	p := slices.Grow([]byte(nil), t.root.sum.bytes)
	root := t.root.moved(0, func(c *chunk) {
		at := len(p)
		p = append(p, c.data()...)
		c.p = &p[at]
	})
	s := stringOf(p)
	return s, &tree{root: root, origin: s, borrowed: len(s)}
}
