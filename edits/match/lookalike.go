package match

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldSegment returns what stands for s, which is a character with what combines
// with it, and whether only a weak look-alike does. Normal forms become NFC.
func foldSegment(s string) (put string, weak bool) {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) {
		if stand, isWeak, ok := standIn(r); ok {
			return stand, isWeak
		}
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(s) {
		put, w, ok := standIn(r)
		if !ok {
			b.WriteRune(r)
		}
		b.WriteString(put)
		weak = weak || w
	}
	return b.String(), weak
}

// standIn returns what stands for a look-alike: quotes, dashes and blanks that
// models and word processors swap become the one on the keyboard. Weak are those
// that cannot be seen, and the ellipsis, which is more than one. Guillemets are
// no quotes: text that has them means them.
func standIn(r rune) (put string, weak, ok bool) {
	switch r {
	case '\u2018', '\u2019', '\u201A', '\u201B', '\u2032', '\u02BC':
		return "'", false, true
	case '\u201C', '\u201D', '\u201E', '\u201F', '\u2033':
		return "\"", false, true
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return "-", false, true
	case '\u00A0', '\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007',
		'\u2008', '\u2009', '\u200A', '\u202F', '\u205F', '\u3000':
		return " ", false, true
	case '\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF', '\u00AD': // zero-width, byte order mark, soft hyphen
		return "", true, true
	case '\u2026':
		return "...", true, true
	}
	return "", false, false
}

// plainSize is, by the first byte of a character, its size where no character
// that begins so has a look-alike or takes part in a normal form, other than
// with a combining one after it; else 0.
var plainSize = func() (sizes [256]uint8) {
	for b := range utf8.RuneSelf {
		sizes[b] = 1
	}
	for b := 0xC3; b <= 0xC9; b++ { // Latin, U+00C0 to U+027F
		sizes[b] = 2
	}
	for b := 0xE4; b <= 0xE9; b++ { // Han, U+4000 to U+9FFF
		sizes[b] = 3
	}
	return sizes
}()

// IsASCII reports whether s has no byte above 0x7F.
func IsASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&utf8.RuneSelf != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
