package text

import "unicode/utf8"

// longTyped is how much is taken for typing: a word that an editor completes.
const longTyped = 32

// typed is ReplaceRange for what is typed or deleted on the line where the last
// change was. It does what the long way does, in a third of the
// time, and refuses what it does not find at hand.
func (b *Buffer) typed(from, to Position, s string) (start, end int, ok bool) {
	c := &b.cur
	l, w, i := &c.line, c.twig, c.leaf
	if w == nil || b.same || w.epoch != b.epoch || !w.own.has(i) || !l.known || !l.end.minus(l.start).narrow() {
		return 0, 0, false
	}
	if len(s) > longTyped {
		return 0, 0, false
	}
	for j := range len(s) {
		if s[j] >= utf8.RuneSelf || s[j] == '\n' {
			return 0, 0, false
		}
	}
	start, end = l.start.bytes+from.Character, l.start.bytes+to.Character
	if from.Line != l.number || to.Line != l.number || start > end || end > l.end.bytes {
		return 0, 0, false
	}
	size := int(w.bytes[i])
	n := size - (end - start) + len(s)
	first, last := start-c.at.bytes, end-c.at.bytes
	if first < 0 || last > size || n > int(w.room[i]) || n > maxLeaf || n < minLeaf || w.bad.has(i) || !w.narrow(i) {
		return 0, 0, false
	}
	p := view(w.p[i], max(n, size))
	if last < size {
		copy(p[first+len(s):], p[last:size])
	}
	copy(p[first:], s)
	// Bytes are code points here, and no line end came or went.
	by := n - size
	w.bytes[i], w.runes[i] = uint16(n), uint16(n)
	for j := range c.height {
		k := &c.path[j].branch.kids[c.path[j].kid].sum
		k.bytes += by
		k.runes += by
	}
	b.tree.root.sum.bytes += by
	b.tree.root.sum.runes += by
	l.end.bytes += by
	l.end.runes += by
	return start, end, true
}
