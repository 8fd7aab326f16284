package text

// maxHeight bounds the branches above a twig: with the fewest children allowed,
// that many hold 2^34 bytes.
const maxHeight = 12

// cursor is a place in a tree: a leaf, the way to it, and what is before it. It
// also remembers one line, since the next question is mostly about the same one.
type cursor struct {
	path   [maxHeight]step
	height int
	twig   *twig // nil: nowhere yet
	leaf   int
	at     sum // what is before the leaf
	line   line
}

type step struct {
	branch *branch
	kid    int
}

// line is a "\n"-separated stretch, without its "\n".
type line struct {
	known      bool
	number     int
	start, end sum // what is before its first byte, and before the end of its last
}

// plain reports whether the line is known and all encodings count alike on it.
func (l *line) plain() bool {
	return l.known && l.end.bytes-l.start.bytes == l.end.runes-l.start.runes
}

// size returns the bytes of the leaf.
func (c *cursor) size() int { return int(c.twig.bytes[c.leaf]) }

// text returns the leaf.
func (c *cursor) text() string { return c.twig.text(c.leaf) }

// upTo returns what is before the byte i of the leaf.
func (c *cursor) upTo(i int) sum { return c.at.plus(c.count(0, i)) }

// count counts the bytes [from,to) of the leaf.
func (c *cursor) count(from, to int) sum {
	return count(c.text()[from:to], !c.twig.bad.has(c.leaf))
}

// into goes on to kid i of b, which is the cursor's next branch.
func (c *cursor) into(b *branch, i int) *kid {
	c.path[c.height] = step{b, i}
	c.height++
	return &b.kids[i]
}

// seek goes to the leaf that holds the unit n of e, counted from 0; to the last leaf
// if there are fewer.
func (c *cursor) seek(t *tree, n int, e Encoding) {
	if c.twig != nil {
		if at := c.at.units(e); n >= at && n < at+c.twig.sum(c.leaf).units(e) {
			return
		}
	}
	c.at, c.height = sum{}, 0
	k := &t.root
	for b := k.branch; b != nil; b = k.branch {
		i := 0
		for ; i < b.n-1; i++ {
			of := &b.kids[i].sum
			if u := of.units(e); n >= u {
				n -= u
			} else {
				break
			}
			c.at = c.at.plus(*of)
		}
		k = c.into(b, i)
	}
	w, i := k.twig, 0
	for ; i < w.n-1; i++ {
		of := w.sum(i)
		if u := of.units(e); n >= u {
			n -= u
		} else {
			break
		}
		c.at = c.at.plus(of)
	}
	c.twig, c.leaf = w, i
}

// seekByte goes to the leaf that holds the byte at off; at the end of the text, to
// the last leaf.
func (c *cursor) seekByte(t *tree, off int) { c.seek(t, off, UTF8) }

// seekLineEnd goes to the leaf that holds the nth line end, counted from 1, and
// returns where in the leaf that is.
func (c *cursor) seekLineEnd(t *tree, n int) int {
	c.seek(t, n-1, lineEnds)
	return nthLineEnd(c.text(), n-c.at.lines)
}

// next goes to the following leaf and reports whether there is one.
func (c *cursor) next() bool {
	c.at = c.at.plus(c.twig.sum(c.leaf))
	if c.leaf++; c.leaf < c.twig.n {
		return true
	}
	return c.nextTwig()
}

// nextTwig goes to the first leaf after the twig; all of the twig must be before
// the cursor.
func (c *cursor) nextTwig() bool {
	for c.height > 0 {
		c.height--
		at := c.path[c.height]
		if at.kid+1 == at.branch.n {
			continue
		}
		k := c.into(at.branch, at.kid+1)
		for k.branch != nil {
			k = c.into(k.branch, 0)
		}
		c.twig, c.leaf = k.twig, 0
		return true
	}
	return false
}
