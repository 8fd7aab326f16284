package text

import (
	"strings"
	"unicode/utf8"
)

// sum counts what a stretch of text holds. Sums of stretches that follow each
// other add up as long as no code point is cut.
type sum struct {
	bytes  int
	lines  int // line ends: "\n"
	runes  int // code points; a byte that belongs to none counts as one
	astral int // code points above U+FFFF, which take two UTF-16 code units
}

func (s sum) plus(o sum) sum {
	return sum{s.bytes + o.bytes, s.lines + o.lines, s.runes + o.runes, s.astral + o.astral}
}

func (s sum) minus(o sum) sum {
	return sum{s.bytes - o.bytes, s.lines - o.lines, s.runes - o.runes, s.astral - o.astral}
}

// units returns the length in units of e.
func (s sum) units(e Encoding) int {
	switch e {
	case UTF8:
		return s.bytes
	case UTF16:
		return s.runes + s.astral
	case lineEnds:
		return s.lines
	}
	return s.runes
}

// narrow reports whether each code point takes one byte, so that all encodings
// count alike.
func (s sum) narrow() bool { return s.bytes == s.runes }

// measure counts s, and reports whether it is valid UTF-8.
func measure(s string) (sum, bool) {
	valid := isASCII(s) || utf8.ValidString(s)
	return count(s, valid), valid
}

// count counts s, which is valid UTF-8 or not. A part of a valid text that begins or
// ends inside a code point must not be asked about.
func count(s string, valid bool) sum {
	m := sum{bytes: len(s), lines: strings.Count(s, "\n"), runes: len(s)}
	switch {
	case isASCII(s):
	case valid:
		m.runes, m.astral = countValid(s)
	default:
		m.runes, m.astral = countAny(s)
	}
	return m
}

func countAny(s string) (runes, astral int) {
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		if size == utf8.UTFMax {
			astral++
		}
		runes++
		i += size
	}
	return runes, astral
}
