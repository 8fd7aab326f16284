package text

// CodePointOffset returns the offset of the nth code point of the buffer's text.
func CodePointOffset(b *Buffer, n int) int {
	b.take()
	c := &b.cur
	if n >= b.tree.root.sum.runes {
		return b.tree.root.sum.bytes
	}
	c.seekUnit(&b.tree, n, UTF32)
	narrow, valid := c.shape()
	return c.at.bytes + advance(c.text(), n-c.at.runes, UTF32, narrow, valid)
}
