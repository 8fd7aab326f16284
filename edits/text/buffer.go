package text

import (
	"fmt"
	"sync/atomic"
)

// Buffer is a text that is edited in place. It has one owner: no two of its
// methods may run at the same time. The [Text] values that it gives are
// immutable all the same, and may be read while the buffer is edited.
//
// The bytes of what is put in are copied. The text that NewBuffer takes is not:
// it is shared until most of it is replaced.
type Buffer struct {
	tree tree
	held bool // tree is the text; otherwise snap is
	// snap is the text as it is now, where same says so. While it alone is the
	// text, a reader that makes it contiguous frees the old nodes.
	snap Text
	same bool
	// epoch is in the nodes that only this buffer has. A snapshot ends it.
	epoch   uint64
	cur     cursor
	scratch []byte
}

// epochs gives each buffer epochs of its own. Nodes of no buffer have 0.
var epochs atomic.Uint64

// NewBuffer returns a buffer that holds t.
func NewBuffer(t Text) *Buffer { return &Buffer{snap: t, same: true} }

// Snapshot returns the text as it is. It takes constant time; the first edit
// after it copies the nodes on its way.
func (b *Buffer) Snapshot() Text {
	if !b.same {
		b.snap, b.same = ofTree(b.tree), true
	}
	b.tree, b.held = tree{}, false
	b.leave()
	return b.snap
}

// take makes the buffer hold the tree.
func (b *Buffer) take() {
	if !b.held {
		b.tree, b.held = *b.snap.data().asTree(), true
	}
}

// edit is take for one who will write.
func (b *Buffer) edit() {
	b.take()
	if b.same {
		b.snap, b.same = Text{}, false
		b.epoch = epochs.Add(1)
	}
}

// leave forgets where the buffer is in its tree, but not on which line.
func (b *Buffer) leave() { b.cur.path, b.cur.twig = [maxHeight]step{}, nil }

// Len returns the number of bytes.
func (b *Buffer) Len() int {
	if b.held {
		return b.tree.root.sum.bytes
	}
	return b.snap.Len()
}

// Slice returns a copy of the bytes from start up to end.
func (b *Buffer) Slice(start, end int) string {
	return stringOf(b.Append(make([]byte, 0, end-start), start, end))
}

// Append appends the bytes from start up to end to out.
func (b *Buffer) Append(out []byte, start, end int) []byte {
	b.take()
	b.check(start, end)
	for at := start; at < end; at = b.cur.at.bytes + b.cur.size() {
		b.cur.seekByte(&b.tree, at)
		s := b.cur.text()
		out = append(out, s[at-b.cur.at.bytes:min(len(s), end-b.cur.at.bytes)]...)
	}
	return out
}

// Position is [Text.Position] of the buffer's text.
func (b *Buffer) Position(off int, enc Encoding) Position {
	if l := &b.cur.line; l.plain() && off >= l.start.bytes && off <= l.end.bytes {
		return Position{l.number, off - l.start.bytes}
	}
	b.take()
	return b.cur.position(&b.tree, off, enc)
}

// Offset is [Text.Offset] of the buffer's text.
func (b *Buffer) Offset(p Position, enc Encoding) int {
	if l := &b.cur.line; l.plain() && p.Line == l.number {
		return min(l.start.bytes+p.Character, l.end.bytes)
	}
	b.take()
	return b.cur.offset(&b.tree, p, enc)
}

// Replace replaces [start,end) by s.
func (b *Buffer) Replace(start, end int, s string) {
	b.edit()
	b.check(start, end)
	b.cur.line.changed(start, end, s, b.splice(start, end, s))
}

// ReplaceRange replaces what is between two places by s, and returns the
// offsets of what was replaced. An end before the start counts as the start.
func (b *Buffer) ReplaceRange(from, to Position, enc Encoding, s string) (start, end int) {
	start, end, ok := b.typed(from, to, s)
	if ok {
		return start, end
	}
	b.edit()
	c := &b.cur
	end = c.offset(&b.tree, to, enc)
	if from == to {
		start = end
	} else {
		last := c.line
		start = c.offset(&b.tree, from, enc)
		if start <= end && last.known && c.line.known && c.line.number <= last.number {
			c.line.end = last.end // the two lines become one
		}
		end = max(start, end)
	}
	if from.Line == to.Line { // now the line is known
		if _, _, ok = b.typed(from, to, s); ok {
			return start, end
		}
	}
	c.line.changed(start, end, s, b.splice(start, end, s))
	return start, end
}

func (b *Buffer) check(start, end int) {
	if start < 0 || end < start || end > b.tree.root.sum.bytes {
		panic(fmt.Sprintf("text: [%d,%d) is not in a text of %d bytes", start, end, b.tree.root.sum.bytes))
	}
}
