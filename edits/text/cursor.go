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

// shape returns what is known of the leaf's code points.
func (c *cursor) shape() (narrow, valid bool) {
	return c.twig.narrow(c.leaf), !c.twig.bad.has(c.leaf)
}

// upTo returns what is before the byte i of the leaf, which is in the line n.
func (c *cursor) upTo(i, n int) sum {
	narrow, valid := c.shape()
	runes, astral := countRunes(c.text()[:i], narrow, valid)
	return sum{c.at.bytes + i, n, c.at.runes + runes, c.at.astral + astral}
}

// descend starts at the root of t.
func (c *cursor) descend(t *tree) *kid {
	c.at, c.height, c.leaf = sum{}, 0, 0
	return &t.root
}

// into goes on to kid i of b, which is the cursor's next branch.
func (c *cursor) into(b *branch, i int) *kid {
	c.path[c.height] = step{b, i}
	c.height++
	return &b.kids[i]
}

// skip goes past leaf i of t.
func (c *cursor) skip(t *twig, i int) {
	c.at.bytes += int(t.bytes[i])
	c.at.lines += int(t.lines[i])
	c.at.runes += int(t.runes[i])
	c.at.astral += int(t.astral[i])
}

// seek goes to the leaf that holds the byte at off; at the end of the text, to
// the last leaf.
func (c *cursor) seek(t *tree, off int) {
	if c.twig != nil && off >= c.at.bytes && off < c.at.bytes+c.size() {
		return
	}
	k := c.descend(t)
	for b := k.branch; b != nil; b = k.branch {
		i := 0
		for ; i < b.n-1 && off >= c.at.bytes+b.kids[i].sum.bytes; i++ {
			c.at = c.at.plus(b.kids[i].sum)
		}
		k = c.into(b, i)
	}
	w, i := k.twig, 0
	for ; i < w.n-1 && off >= c.at.bytes+int(w.bytes[i]); i++ {
		c.skip(w, i)
	}
	c.twig, c.leaf = w, i
}

// seekLineEnd goes to the leaf that holds the nth line end, counted from 1, and
// returns where in the leaf that is.
func (c *cursor) seekLineEnd(t *tree, n int) int {
	if c.twig == nil || n <= c.at.lines || n > c.at.lines+int(c.twig.lines[c.leaf]) {
		k := c.descend(t)
		for b := k.branch; b != nil; b = k.branch {
			i := 0
			for ; n > c.at.lines+b.kids[i].sum.lines; i++ {
				c.at = c.at.plus(b.kids[i].sum)
			}
			k = c.into(b, i)
		}
		w, i := k.twig, 0
		for ; n > c.at.lines+int(w.lines[i]); i++ {
			c.skip(w, i)
		}
		c.twig, c.leaf = w, i
	}
	return nthLineEnd(c.text(), n-c.at.lines, int(c.twig.lines[c.leaf]))
}

// seekUnit goes to the leaf that holds the unit n of e, which must be in the text.
func (c *cursor) seekUnit(t *tree, n int, e Encoding) {
	if c.twig != nil {
		if at := c.at.units(e); n >= at && n < at+c.twig.sum(c.leaf).units(e) {
			return
		}
	}
	k := c.descend(t)
	for b := k.branch; b != nil; b = k.branch {
		i := 0
		for ; n >= c.at.units(e)+b.kids[i].sum.units(e); i++ {
			c.at = c.at.plus(b.kids[i].sum)
		}
		k = c.into(b, i)
	}
	w, i := k.twig, 0
	for ; n >= c.at.units(e)+w.sum(i).units(e); i++ {
		c.skip(w, i)
	}
	c.twig, c.leaf = w, i
}

// next goes to the following leaf and reports whether there is one.
func (c *cursor) next() bool {
	c.skip(c.twig, c.leaf)
	if c.leaf++; c.leaf < c.twig.n {
		return true
	}
	return c.nextTwig()
}

// nextBorn is next, but passes over the leaves that lie behind this one, as all
// do in nodes that no buffer has made. It returns how many bytes those hold.
func (c *cursor) nextBorn() (passed int, more bool) {
	if c.twig.epoch != 0 {
		return 0, c.next()
	}
	end := c.at.bytes + c.size()
	for ; c.leaf < c.twig.n; c.leaf++ {
		c.skip(c.twig, c.leaf)
	}
	for c.height > 0 && c.path[c.height-1].branch.epoch == 0 {
		c.height--
		at := c.path[c.height]
		for _, k := range at.branch.kids[at.kid+1 : at.branch.n] {
			c.at = c.at.plus(k.sum)
		}
	}
	return c.at.bytes - end, c.nextTwig()
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
