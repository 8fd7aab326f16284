package text

import "unicode/utf8"

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
