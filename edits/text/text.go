// Package text holds the immutable text of a document: its bytes, its lines,
// and the conversion between byte offsets and LSP positions.
//
// All offsets are byte offsets into UTF-8. Lines are counted from 0. A line
// ends at "\n" and owns that terminator, together with a "\r" right before it;
// a lone "\r", VT, FF, NEL and U+2028 are ordinary characters (DESIGN, "A line
// owns its terminator"). There is no phantom line after a final newline.
//
// What never lives here: commands, edits as values, I/O, LSP types.
package text

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// BOM is the byte order mark U+FEFF in UTF-8. Where it leads a text, line 0
// begins after it.
const BOM = "\uFEFF"

// Text is an immutable text. The zero value is the empty text. A Text is cheap
// to copy and safe for concurrent use.
type Text struct{ d *data }

type data struct {
	s string

	linesOnce sync.Once
	starts    []int        // offset of each "\n"-separated segment, the first is 0
	lastLine  atomic.Int64 // that LineAt gave last: the next one is often near

	hashOnce sync.Once
	hash     string
}

// New returns the text s. The bytes are kept as they are; s should be valid
// UTF-8, since positions in any encoding count its code points.
func New(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{&data{s: s}}
}

// Len returns the number of bytes.
func (t Text) Len() int { return len(t.String()) }

// String returns the whole text.
func (t Text) String() string {
	if t.d == nil {
		return ""
	}
	return t.d.s
}

// Slice returns the bytes from start up to end.
func (t Text) Slice(start, end int) string { return t.String()[start:end] }

// Equal reports whether t and u hold the same bytes.
func (t Text) Equal(u Text) bool { return t.d == u.d || t.String() == u.String() }

// Hash returns a token of at most 64 characters that is the same for the same
// bytes and, for all purposes here, different for others.
func (t Text) Hash() string {
	if t.d == nil {
		return digest("")
	}
	t.d.hashOnce.Do(func() { t.d.hash = digest(t.d.s) })
	return t.d.hash
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// Line is the place of one line: its content is [Start,End), its terminator
// (empty for an unterminated last line) is [End,Next).
type Line struct{ Start, End, Next int }

// Lines returns the number of lines: terminators, and one more if text follows
// the last terminator. The empty text has none, and neither has a bare BOM.
func (t Text) Lines() int {
	starts := t.segments()
	n := len(starts)
	last := starts[n-1]
	if last == t.Len() || (n == 1 && t.Len() == len(BOM) && t.bom() > 0) {
		n--
	}
	return n
}

// Line returns the place of line i, which must be in [0, Lines()).
func (t Text) Line(i int) Line {
	starts, s := t.segments(), t.String()
	l := Line{Start: starts[i], Next: len(s)}
	if i == 0 {
		l.Start = t.bom()
	}
	if i+1 < len(starts) {
		l.Next = starts[i+1]
	}
	l.End = l.Next - len(Terminator(s[l.Start:l.Next]))
	return l
}

// LineAt returns the number of the line that holds the byte at off. An offset
// at the end of a terminated text belongs to no line and gives Lines().
func (t Text) LineAt(off int) int {
	starts := t.segments()
	if t.d == nil {
		return 0
	}
	last := int(t.d.lastLine.Load())
	for i := last; i < min(last+4, len(starts)) && starts[i] <= off; i++ {
		if i+1 == len(starts) || off < starts[i+1] {
			t.d.remember(last, i)
			return i
		}
	}
	i, _ := slices.BinarySearch(starts, off+1)
	t.d.remember(last, i-1)
	return i - 1
}

// remember writes only what is new: readers on other cores share the cache line.
func (d *data) remember(last, line int) {
	if line != last {
		d.lastLine.Store(int64(line))
	}
}

// LineStart returns the offset at which line i begins; for i == Lines() that
// is the end of the text.
func (t Text) LineStart(i int) int {
	if i >= t.Lines() {
		return t.Len()
	}
	return t.Line(i).Start
}

// Replace returns the text with [start,end) replaced by s.
func (t Text) Replace(start, end int, s string) Text {
	old := t.String()
	return New(old[:start] + s + old[end:])
}

// Terminator returns the line end that s ends with: "\r\n", "\n" or "".
func Terminator(s string) string {
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(s, "\n"):
		return "\n"
	}
	return ""
}

// bom returns the length of the leading byte order mark, 0 if there is none.
func (t Text) bom() int {
	if strings.HasPrefix(t.String(), BOM) {
		return len(BOM)
	}
	return 0
}

var emptySegments = []int{0}

// segments returns the offsets at which "\n"-separated segments start. The
// last one may be empty: that is LSP's line after a final newline.
func (t Text) segments() []int {
	if t.d == nil {
		return emptySegments
	}
	t.d.linesOnce.Do(func() {
		s := t.d.s
		starts := make([]int, 1, 1+strings.Count(s, "\n"))
		for off := 0; ; {
			i := strings.IndexByte(s[off:], '\n')
			if i < 0 {
				break
			}
			off += i + 1
			starts = append(starts, off)
		}
		t.d.starts = starts
	})
	return t.d.starts
}
