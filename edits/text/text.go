package text

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// BOM is the byte order mark U+FEFF in UTF-8. If a text begins with it, line 0 begins after it.
const BOM = "\uFEFF"

// Plain returns s without a leading byte order mark and with "\n" for "\r\n", so that
// forms of a text that differ only in these are equal.
func Plain(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, BOM), "\r\n", "\n")
}

// Text is an immutable text. The zero value is the empty text. A Text is cheap to copy and safe for concurrent use.
type Text struct{ d *data }

// New returns the text s. The bytes are kept as they are; s should be valid UTF-8, since positions in any encoding count its
// code points. The text keeps s alive, so a part of a larger string should be cloned.
func New(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{flatData(s)}
}

// ofTree returns the text of t, which is not written any more.
func ofTree(t tree) Text {
	if t.root.sum.bytes == 0 {
		return Text{}
	}
	d := &data{size: t.root.sum.bytes}
	d.tree.Store(&t)
	return Text{d}
}

func (t Text) data() *data {
	if t.d == nil {
		return nothing
	}
	return t.d
}

// Len returns the number of bytes.
func (t Text) Len() int { return t.data().size }

// String returns the whole text. It costs nothing, except that the first call on a
// text that an edit has made copies the text into one piece.
func (t Text) String() string { return t.data().whole() }

// Slice returns the bytes from start up to end.
func (t Text) Slice(start, end int) string {
	s, _ := t.sliceWith(nil, start, end)
	return s
}

// sliceWith is like Slice, but copies a range that is not in one piece into buf. It returns buf, grown if
// necessary. The string is valid until buf is written.
func (t Text) sliceWith(buf []byte, start, end int) (string, []byte) {
	d := t.data()
	if s := d.flat.Load(); s != nil {
		return (*s)[start:end], buf
	}
	if start < 0 || end < start || end > d.size {
		panic(fmt.Sprintf("text: [%d,%d) is not in a text of %d bytes", start, end, d.size))
	}
	r := runs{tree: d.asTree()}
	r.cur.seekByte(r.tree, start)
	start -= r.cur.at.bytes // in the first run
	end -= r.cur.at.bytes
	s := r.next(end)
	if end <= len(s) {
		return s[start:end], buf
	}
	buf = append(slices.Grow(buf[:0], end-start), s[start:]...)
	for left := end - len(s); left > 0; left -= len(s) {
		s = r.next(left)
		buf = append(buf, s[:min(len(s), left)]...)
	}
	return stringOf(buf), buf
}

// Equal reports whether t and u hold the same bytes. Memory that they share is not compared.
func (t Text) Equal(u Text) bool {
	if t.d == u.d || t.Len() != u.Len() {
		return t.d == u.d
	}
	a, b := t.data().runs(), u.data().runs()
	for x, y := "", ""; ; {
		if x == "" {
			x = a.next(math.MaxInt)
		}
		if y == "" {
			y = b.next(math.MaxInt)
		}
		n := min(len(x), len(y)) // 0: both have ended
		if n == 0 || x[:n] != y[:n] {
			return n == 0
		}
		x, y = x[n:], y[n:]
	}
}

// Hash returns a token of 12 digits and letters that is the same for the same bytes and, for all purposes here, different
// for others: among a million texts, two have the same hash with a chance of one in two million. It costs one pass over the
// bytes, except for parts that the text shares with a text whose hash is known.
func (t Text) Hash() string {
	d := t.data()
	d.hashOnce.Do(func() {
		var h hash
		if tree := d.tree.Load(); tree != nil {
			h = tree.root.hash()
		} else {
			h = h.write(bytesOf(d.whole()))
		}
		d.hash = h.token(d.size)
	})
	return d.hash
}

// Replace returns the text with [start,end) replaced by s.
func (t Text) Replace(start, end int, s string) Text {
	b := NewBuffer(t)
	b.Replace(start, end, s)
	return b.Snapshot()
}

// BOM returns the length of the leading byte order mark, 0 if there is none.
func (t Text) BOM() int {
	if t.Len() >= len(BOM) && t.Slice(0, len(BOM)) == BOM {
		return len(BOM)
	}
	return 0
}

// Same reports whether two texts are equal; if loose, line ends and a byte order mark do not
// count. An editor may have other line ends than the file on disk (hazard: line-ends).
func Same(a, b Text, loose bool) bool {
	if a.Equal(b) || !loose {
		return a.Equal(b)
	}
	return Plain(a.String()) == Plain(b.String())
}

// data is shared by the copies of a Text: the text in one piece, as a tree, or both. A missing form is made when it is first
// needed. The two forms share their bytes, so that the text is in memory once.
type data struct {
	size int
	mu   sync.Mutex             // held while a missing form is made
	flat atomic.Pointer[string] // the text in one piece
	tree atomic.Pointer[tree]   // never nil if flat is nil

	startsOnce sync.Once
	starts     []uint32                   // see lineStarts
	lines      atomic.Pointer[LineHashes] // nil until they are first needed

	hashOnce sync.Once
	hash     string
}

// runs iterates over a text in pieces that are contiguous in memory.
type runs struct {
	flat string // the text, if it is in one piece
	tree *tree  // the text, if it is not
	cur  cursor
	done bool
}

func (d *data) runs() (r runs) {
	if s := d.flat.Load(); s != nil {
		r.flat = *s
	} else {
		r.tree = d.asTree()
		r.cur.seekByte(r.tree, 0)
	}
	return r
}

// next returns the next piece, or "" after the last. A piece of a tree begins with the cursor's chunk,
// and ends at the latest with the chunk with which it has most bytes or more.
func (r *runs) next(most int) string {
	if r.done {
		return ""
	}
	if r.tree == nil {
		r.done = true
		return r.flat
	}
	c := &r.cur
	s := c.chunk().text()
	// Chunks that are neighbours in the origin are one piece.
	from := offsetIn(r.tree.origin, c.chunk().p)
	to := from + len(s)
	for r.done = !c.next(); from >= 0 && to-from < most && !r.done; r.done = !c.next() {
		if offsetIn(r.tree.origin, c.chunk().p) != to {
			break
		}
		to += int(c.chunk().bytes)
	}
	if from < 0 {
		return s
	}
	return r.tree.origin[from:to]
}

// Runs yields the text in pieces, without copying: the whole text if it is in one piece, otherwise stretches that were not
// edited and chunks of some hundred bytes. No piece is empty, and none cuts a code point.
func (t Text) Runs() iter.Seq[string] {
	return func(yield func(string) bool) {
		r := t.data().runs()
		for s := r.next(math.MaxInt); s != ""; s = r.next(math.MaxInt) {
			if !yield(s) {
				return
			}
		}
	}
}

// nothing is the data of the empty text.
var nothing = flatData("")

func flatData(s string) *data {
	d := &data{size: len(s)}
	d.flat.Store(&s)
	return d
}

// whole returns the text in one piece, and keeps that form.
func (d *data) whole() string {
	if s := d.flat.Load(); s != nil {
		return *s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.flat.Load(); s != nil {
		return *s
	}
	s, t := d.tree.Load().flatten()
	d.tree.Store(t)
	d.flat.Store(&s)
	return s
}

// asTree returns the text as a tree.
func (d *data) asTree() *tree {
	if t := d.tree.Load(); t != nil {
		return t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tree.Load()
	if t == nil {
		t = newTree(*d.flat.Load())
		d.tree.Store(t)
	}
	return t
}

// lineStarts returns where the "\n"-separated segments of the text start; nil if the text is not in one piece, or too long.
// The last segment may be empty: it is LSP's line after a final newline.
func (d *data) lineStarts() []uint32 {
	s := d.flat.Load()
	if s == nil || uint64(len(*s)) > math.MaxUint32 {
		return nil
	}
	d.startsOnce.Do(func() {
		d.starts = make([]uint32, 1, 1+strings.Count(*s, "\n"))
		off := 0
		for line := range strings.Lines(*s) {
			if off += len(line); line[len(line)-1] == '\n' {
				d.starts = append(d.starts, uint32(off))
			}
		}
	})
	return d.starts
}
