package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CutsWord reports whether i is within a word of s, a number, or words that a hyphen joins.
func CutsWord(s string, i int) bool {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	before, n := utf8.DecodeLastRuneInString(s[:i])
	after, m := utf8.DecodeRuneInString(s[i:])
	if inWord(before) && inWord(after) {
		return true
	}
	first, _ := utf8.DecodeLastRuneInString(s[:i-n])
	last, _ := utf8.DecodeRuneInString(s[i+m:])
	joins := func(a, joint, b rune) bool {
		return joint == '-' && inWord(a) && inWord(b) || joint == '.' && unicode.IsDigit(a) && unicode.IsDigit(b)
	}
	return joins(first, before, after) || joins(before, after, last)
}

// WordCharacters counts the letters and digits in lines.
func WordCharacters(lines []string) int {
	n := 0
	for _, l := range lines {
		for _, r := range l {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
	}
	return n
}

// AllBlank reports whether there is nothing but white space in the lines.
func AllBlank(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
}

// IndentWidth returns how deep a line is indented, a tab being four blanks.
func IndentWidth(line string) int {
	before := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return len(before) + 3*strings.Count(before, "\t")
}
