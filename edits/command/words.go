package command

import (
	"unicode"
	"unicode/utf8"
)

// cutsWord reports whether i is within a word of s, a number, or words that a hyphen
// joins.
func cutsWord(s string, i int) bool {
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

// endsWord reports whether a word or sign ends at i of s.
func endsWord(s string, i int) bool {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !inWord(before) || !inWord(after)
}

// wordCharacters counts the letters and digits in lines, up to a few.
func wordCharacters(lines []string) int {
	n := 0
	for _, l := range lines {
		for _, r := range l {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				if n++; n > 3 {
					return n
				}
			}
		}
	}
	return n
}
