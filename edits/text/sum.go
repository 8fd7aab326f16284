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
	}
	return s.runes
}

// narrow reports whether each code point takes one byte, so that all encodings
// count alike.
func (s sum) narrow() bool { return s.bytes == s.runes }

// measure counts s, and reports whether it is valid UTF-8.
func measure(s string) (sum, bool) {
	m := sum{bytes: len(s), lines: strings.Count(s, "\n")}
	if isASCII(s) {
		m.runes = len(s)
		return m, true
	}
	if utf8.ValidString(s) {
		m.runes, m.astral = countValid(s)
		return m, true
	}
	m.runes, m.astral = countAny(s)
	return m, false
}

// measurePart counts a part of a leaf that narrow and valid are said of. A part
// that begins or ends inside a code point must not be asked about.
func measurePart(s string, narrow, valid bool) sum {
	m := sum{bytes: len(s), lines: strings.Count(s, "\n")}
	m.runes, m.astral = countRunes(s, narrow, valid)
	return m
}

// countRunes is measurePart without the lines.
func countRunes(s string, narrow, valid bool) (runes, astral int) {
	switch {
	case narrow:
		return len(s), 0
	case valid:
		return countValid(s)
	}
	return countAny(s)
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
