package text

import "strings"

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
