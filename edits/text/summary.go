package text

import (
	"strings"
	"unicode/utf8"
)

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
