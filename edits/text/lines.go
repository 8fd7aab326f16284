package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Line is the place of one line: its content is [Start,End), its terminator
// (empty for an unterminated last line) is [End,Next).
type Line struct{ Start, End, Next int }

// Lines returns the number of lines: terminators, and one more if text follows
// the last terminator. The empty text has none, and neither has a bare BOM.
func (t Text) Lines() int {
	var n int
	if starts := t.data().lineStarts(); starts != nil {
		n = len(starts) - 1
	} else {
		n = t.data().asTree().root.sum.lines
	}
	if size := t.Len(); size > 0 && t.Slice(size-1, size) != "\n" && (size > len(BOM) || size > t.BOM()) {
		n++
	}
	return n
}

// Line returns the place of line i, which must be in [0, Lines()).
func (t Text) Line(i int) Line {
	var l Line
	d := t.data()
	if starts := d.lineStarts(); starts != nil {
		l = Line{Start: int(starts[i]), Next: d.size}
		if i+1 < len(starts) {
			l.Next = int(starts[i+1])
		}
		if i == 0 {
			l.Start = t.BOM()
		}
		l.End = l.Next - len(Terminator(t.Slice(l.Start, l.Next)))
		return l
	}
	var c cursor
	tree := d.asTree()
	l = Line{Start: c.lineStart(tree, i), Next: d.size}
	if i == 0 {
		l.Start = t.BOM()
	}
	if i == tree.root.sum.lines {
		l.End = l.Next
		return l
	}
	end := c.seekLineEnd(tree, i+1)
	l.End = c.at.bytes + end
	l.Next = l.End + 1
	if l.End > l.Start && t.Slice(l.End-1, l.End) == "\r" {
		l.End--
	}
	return l
}

// LineAt returns the number of the line that holds the byte at off. An offset
// at the end of a terminated text belongs to no line and gives Lines().
func (t Text) LineAt(off int) int {
	if starts := t.data().lineStarts(); starts != nil {
		i, _ := slices.BinarySearch(starts, uint32(off)+1)
		return i - 1
	}
	var c cursor
	return c.lineAt(t.data().asTree(), min(off, t.Len()))
}

// LineStart returns the offset at which line i begins; for i == Lines() that is the end of the text.
func (t Text) LineStart(i int) int {
	if i >= t.Lines() {
		return t.Len()
	}
	return t.Line(i).Start
}

// CutBlanks returns the blanks at the start of a line, the rest, and the blanks at its end.
func CutBlanks(line string) (before, core, after string) {
	i, j := 0, len(line)
	for i < j && IsBlank(line[i]) {
		i++
	}
	for i < j && IsBlank(line[j-1]) {
		j--
	}
	return line[:i], line[i:j], line[j:]
}

// IsBlank reports whether a byte is a space or a tab.
func IsBlank(b byte) bool { return b == ' ' || b == '\t' }

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

// Terminator returns the line end after the last line, or "" if there is none.
func (t Text) Terminator() string { return Terminator(t.Slice(max(0, t.Len()-len("\r\n")), t.Len())) }

// LineEnds names the line ends of the text: "lf", "crlf", "mixed", or "none" if it has no line end.
func (t Text) LineEnds() string {
	all, crlf, half := 0, 0, false
	for run := range t.Runs() { // String would keep its copy as long as the text lives
		all, crlf = all+strings.Count(run, "\n"), crlf+strings.Count(run, "\r\n")
		if half && strings.HasPrefix(run, "\n") {
			crlf++
		}
		half = strings.HasSuffix(run, "\r")
	}
	switch {
	case all == 0:
		return "none"
	case crlf == 0:
		return "lf"
	case crlf == all:
		return "crlf"
	}
	return "mixed"
}

// InForm returns the text of a file with the line ends and the byte order mark of a document: editors
// keep both apart from the text. If the document has both kinds of line ends, the file keeps its own.
func InForm(doc, file Text) Text {
	s, was := Plain(file.String()), doc.String()
	switch crlf := strings.Count(was, "\r\n"); {
	case crlf == 0:
	case crlf == strings.Count(was, "\n"):
		s = strings.ReplaceAll(s, "\n", "\r\n")
	default:
		s = strings.TrimPrefix(file.String(), BOM)
	}
	if doc.BOM() > 0 {
		s = BOM + s
	}
	return New(s)
}

// Encoding says what the character of a [Position] counts (LSP 3.17,
// PositionEncodingKind). The zero value is UTF-16, LSP's default.
type Encoding uint8

// The three encodings that LSP knows.
const (
	UTF16 Encoding = iota // UTF-16 code units
	UTF8                  // bytes
	UTF32                 // code points

	lineEnds // not an encoding: the tree also counts in line ends, "\n"
)

var encodingNames = [...]string{UTF16: "utf-16", UTF8: "utf-8", UTF32: "utf-32"}

// String returns LSP's name of the encoding.
func (e Encoding) String() string { return encodingNames[e] }

// ParseEncoding returns the encoding that LSP calls name.
func ParseEncoding(name string) (Encoding, bool) {
	for e, n := range encodingNames {
		if n == name {
			return Encoding(e), true
		}
	}
	return 0, false
}

// width returns how many units of e the code point r, of size bytes, takes.
func (e Encoding) width(r rune, size int) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}

// Count returns the length of s in units of e.
func (e Encoding) Count(s string) int {
	if e == UTF8 {
		return len(s)
	}
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		n += e.width(r, size)
		i += size
	}
	return n
}

// Position is an LSP position: Line and Character from 0, Character in units of some [Encoding]. LSP's lines include the
// empty one after a final newline, and a byte order mark is a character of line 0.
type Position struct{ Line, Character int }

// Position returns the place of the byte at off, which must be at a code point's start and at most Len().
func (t Text) Position(off int, enc Encoding) Position {
	var c cursor
	return c.position(t.data().asTree(), off, enc)
}

// Offset returns the byte offset of p. As LSP requires, a character past the end of its line means that end, before the "\n"
// (a "\r" is a character of its line, as Neovim, Helix and Emacs count), and a line past the last one means the end of the
// text. A character inside a code point means the code point's start. Line and Character must not be negative.
func (t Text) Offset(p Position, enc Encoding) int {
	var c cursor
	return c.offset(t.data().asTree(), p, enc)
}
