package text

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Eight bytes at a time: in the masks below, one bit stands for each byte of a word.
const (
	highBits = 0x8080808080808080
	lowBits  = 0x0101010101010101
)

// IsASCII reports whether s has no byte above 0x7F.
func IsASCII(s string) bool {
	p := bytesOf(s)
	for ; len(p) >= 32; p = p[32:] {
		w := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:]) |
			binary.LittleEndian.Uint64(p[16:]) | binary.LittleEndian.Uint64(p[24:])
		if w&highBits != 0 {
			return false
		}
	}
	for ; len(p) >= 8; p = p[8:] {
		if binary.LittleEndian.Uint64(p)&highBits != 0 {
			return false
		}
	}
	for _, b := range p {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// starts has a bit for each byte of w that begins a code point.
func starts(w uint64) uint64 { return (^w>>7 | w>>6) & lowBits }

// fours has a bit for each byte of w that begins a code point of four bytes.
func fours(w uint64) uint64 { return w >> 7 & (w >> 6) & (w >> 5) & (w >> 4) & lowBits }

// countValid counts the code points of s, and those above U+FFFF. Each byte
// that begins one counts, so s may begin or end inside one.
func countValid(s string) (runes, pairs int) {
	p := bytesOf(s)
	for ; len(p) >= 8; p = p[8:] {
		w := binary.LittleEndian.Uint64(p)
		runes += bits.OnesCount64(starts(w))
		pairs += bits.OnesCount64(fours(w))
	}
	for _, b := range p {
		if b&0xC0 != 0x80 {
			runes++
		}
		if b >= 0xF0 {
			pairs++
		}
	}
	return runes, pairs
}

// advance returns the offset in s of the code point that holds the unit n,
// counted from the start of s in e. The unit must be in s.
func advance(s string, n int, e Encoding) int {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n -= e.width(r, size); n < 0 {
			break
		}
		i += size
	}
	return i
}

// nthLineEnd returns the offset of the nth "\n" in s, counted from 1.
func nthLineEnd(s string, n int) int {
	p := bytesOf(s)
	i := 0
	for ; i+8 <= len(p); i += 8 {
		w := binary.LittleEndian.Uint64(p[i:]) ^ '\n'*lowBits
		ends := bits.OnesCount64(^((w&^highBits + ^uint64(highBits)) | w) & highBits) // its bytes that are 0
		if ends >= n {
			break
		}
		n -= ends
	}
	for ; ; i++ {
		if p[i] == '\n' {
			if n--; n == 0 {
				return i
			}
		}
	}
}

// FloorRune returns the start of the code point that holds the byte s[i], which is i itself for a byte that belongs to none.
func FloorRune(s string, i int) int {
	if i >= len(s) || utf8.RuneStart(s[i]) {
		return i
	}
	for j := i - 1; j >= max(0, i-utf8.UTFMax+1); j-- {
		if !utf8.RuneStart(s[j]) {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[j:]); size > i-j {
			return j
		}
		break
	}
	return i
}

// straddles reports whether a code point begins in a and ends in b, which follows it.
func straddles(a, b string) bool {
	if a == "" || b == "" || utf8.RuneStart(b[0]) {
		return false
	}
	a, b = a[max(0, len(a)-utf8.UTFMax+1):], b[:min(len(b), utf8.UTFMax-1)]
	return FloorRune(a+b, len(a)) < len(a)
}

// summary counts what a stretch of text contains. The summaries of consecutive stretches
// add up as long as no code point is cut.
type summary struct { //nolint:recvcheck // add changes it in place; the others are of values
	bytes int
	lines int // line ends: "\n"
	runes int // code points; a byte that belongs to none counts as one
	pairs int // code points above U+FFFF, which take two UTF-16 code units
}

func (s *summary) add(o *summary) {
	s.bytes += o.bytes
	s.lines += o.lines
	s.runes += o.runes
	s.pairs += o.pairs
}

func (s summary) plus(o summary) summary {
	return summary{s.bytes + o.bytes, s.lines + o.lines, s.runes + o.runes, s.pairs + o.pairs}
}

func (s summary) minus(o summary) summary {
	return summary{s.bytes - o.bytes, s.lines - o.lines, s.runes - o.runes, s.pairs - o.pairs}
}

// units returns the length in units of e.
func (s summary) units(e Encoding) int {
	switch e {
	case UTF8:
		return s.bytes
	case UTF16:
		return s.runes + s.pairs
	case lineEnds:
		return s.lines
	}
	return s.runes
}

// singleBytes reports whether each code point takes one byte, so that all encodings count alike.
func (s summary) singleBytes() bool { return s.bytes == s.runes }

// measure counts s, and reports whether it is valid UTF-8.
func measure(s string) (summary, bool) {
	valid := IsASCII(s) || utf8.ValidString(s)
	return count(s, valid), valid
}

// count counts s; valid says whether it is valid UTF-8. s must not be a part of a valid
// text that begins or ends inside a code point.
func count(s string, valid bool) summary {
	m := summary{bytes: len(s), lines: strings.Count(s, "\n"), runes: len(s)}
	switch {
	case IsASCII(s):
	case valid:
		m.runes, m.pairs = countValid(s)
	default:
		m.runes = 0
		for _, r := range s {
			if m.runes++; r > 0xFFFF {
				m.pairs++
			}
		}
	}
	return m
}
