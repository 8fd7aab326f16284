package text

import (
	"strings"
)

// maxHeight bounds the branches above a leaf: with the fewest children allowed, so many levels hold 2^34 bytes.
const maxHeight = 12

// cursor is a place in a tree: a chunk, the path to it, and the sum of the text before
// it. It also remembers one line, since the next query is mostly about the same line.
type cursor struct {
	path   [maxHeight]step
	height int
	leaf   *leaf // nil if the cursor is nowhere yet
	i      int   // index of the chunk in the leaf
	at     summary
	line   line
}

type step struct {
	branch *branch
	child  int
}

// line is a "\n"-separated stretch, without its "\n".
type line struct {
	known      bool
	number     int
	start, end summary // the text before its first byte, and before its end
}

func (c *cursor) chunk() *chunk { return &c.leaf.chunks[c.i] }

// end returns the offset at which the chunk ends.
func (c *cursor) end() int { return c.at.bytes + int(c.chunk().bytes) }

// upTo returns the sum of the text before byte i of the chunk.
func (c *cursor) upTo(i int) summary { return c.at.plus(c.count(0, i)) }

// count counts the bytes [from,to) of the chunk.
func (c *cursor) count(from, to int) summary {
	return count(c.chunk().text()[from:to], !c.chunk().invalid)
}

// into adds child i of b, the next branch, to the cursor's path, and returns the child.
func (c *cursor) into(b *branch, i int) *node {
	c.path[c.height] = step{b, i}
	c.height++
	return &b.children[i]
}

// seek goes to the chunk that holds the unit n of e, counted from 0; to the last chunk if there are fewer.
func (c *cursor) seek(t *tree, n int, e Encoding) {
	if c.leaf != nil {
		if at := c.at.units(e); n >= at && n < at+c.chunk().sum().units(e) {
			return
		}
	}
	c.at, c.height = summary{}, 0
	at := &t.root
	for b := at.branch; b != nil; b = at.branch {
		i := 0
		for ; i < b.n-1; i++ {
			of := &b.children[i].sum
			if u := of.units(e); n >= u {
				n -= u
			} else {
				break
			}
			c.at.add(of)
		}
		at = c.into(b, i)
	}
	l, i := at.leaf, 0
	for ; i < l.n-1; i++ {
		of := l.chunks[i].sum()
		if u := of.units(e); n >= u {
			n -= u
		} else {
			break
		}
		c.at.add(&of)
	}
	c.leaf, c.i = l, i
}

// seekByte goes to the chunk that holds the byte at off; at the end of the text, to the last chunk.
func (c *cursor) seekByte(t *tree, off int) { c.seek(t, off, UTF8) }

// seekLineEnd goes to the chunk that holds the nth line end, counted from 1, and returns the line end's offset in the chunk.
func (c *cursor) seekLineEnd(t *tree, n int) int {
	c.seek(t, n-1, lineEnds)
	return nthLineEnd(c.chunk().text(), n-c.at.lines)
}

// next goes to the following chunk and reports whether there is one.
func (c *cursor) next() bool {
	c.at = c.at.plus(c.chunk().sum())
	if c.i++; c.i < c.leaf.n {
		return true
	}
	for c.height > 0 {
		c.height--
		at := c.path[c.height]
		if at.child+1 == at.branch.n {
			continue
		}
		n := c.into(at.branch, at.child+1)
		for n.branch != nil {
			n = c.into(n.branch, 0)
		}
		c.leaf, c.i = n.leaf, 0
		return true
	}
	return false
}

// toLine makes the cursor remember line n, which must be at most the number of line ends.
func (c *cursor) toLine(t *tree, n int) {
	if c.line.known && c.line.number == n {
		return
	}
	l := line{known: true, number: n, end: t.root.sum}
	from := 0
	if n == 0 {
		c.seekByte(t, 0)
	} else {
		from = c.seekLineEnd(t, n) + 1
		l.start = c.upTo(from)
	}
	if size := strings.IndexByte(c.chunk().text()[from:], '\n'); size >= 0 {
		l.end = l.start.plus(c.count(from, from+size))
	} else if n < t.root.sum.lines {
		l.end = c.upTo(c.seekLineEnd(t, n+1))
	}
	c.line = l
}

// lineStart returns the offset at which the "\n"-separated line n begins.
func (c *cursor) lineStart(t *tree, n int) int {
	if n == 0 {
		return 0
	}
	end := c.seekLineEnd(t, n)
	return c.at.bytes + end + 1
}

// lineAt returns the number of line ends before off.
func (c *cursor) lineAt(t *tree, off int) int {
	c.seekByte(t, off)
	return c.at.lines + strings.Count(c.chunk().text()[:off-c.at.bytes], "\n")
}

// offset returns the offset of p, as [Text.Offset] says.
func (c *cursor) offset(t *tree, p Position, e Encoding) int {
	if p.Line > t.root.sum.lines {
		return t.root.sum.bytes
	}
	c.toLine(t, p.Line)
	l := &c.line
	size := l.end.minus(l.start)
	character := min(p.Character, size.units(e))
	if size.singleBytes() {
		return l.start.bytes + character
	}
	if character == size.units(e) {
		return l.end.bytes
	}
	// Count from the line's start, or from the chunk's start if that is nearer.
	target := l.start.units(e) + character
	c.seek(t, target, e)
	from, before := 0, c.at.units(e)
	if l.start.bytes > c.at.bytes {
		from, before = l.start.bytes-c.at.bytes, l.start.units(e)
	}
	return c.at.bytes + from + advance(c.chunk().text()[from:], target-before, e)
}

// position returns the place of off, as [Text.Position] says.
func (c *cursor) position(t *tree, off int, e Encoding) Position {
	if l := &c.line; !l.known || off < l.start.bytes || off > l.end.bytes {
		c.toLine(t, c.lineAt(t, off))
	}
	l := &c.line
	if e == UTF8 || l.end.minus(l.start).singleBytes() {
		return Position{l.number, off - l.start.bytes}
	}
	c.seekByte(t, off)
	return Position{l.number, c.upTo(off-c.at.bytes).units(e) - l.start.units(e)}
}
