package diff

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

const (
	// minPhrase is how long most phrases are at least, in bytes.
	minPhrase = 12
	// manyPhrases is about how many a line has at most.
	manyPhrases = 1 << 16
)

// thinning returns how often the phrases of a line of n bytes are to be made twice as
// long, so that it does not take much more memory than the line itself.
func thinning(n int) (times int) {
	for n>>times > manyPhrases*minPhrase {
		times++
	}
	return times
}

// phrases returns where a long line is cut into phrases, both ends included: after
// punctuation and blanks, where the phrase is long enough, and after one in eight of
// them whatever its length: which ones, the few bytes before say alone. So after a
// change, equal text is soon cut at equal places again, even if it repeats itself.
func phrases(s string, thinned int) []int {
	least := minPhrase << thinned
	cuts := make([]int, 1, len(s)/least+2)
	for i, last := 8, 0; i < len(s); i++ {
		if s[i-1] >= utf8.RuneSelf || classes[s[i-1]] == word {
			continue
		}
		if i-last >= least || mixed(s[i-8:i])>>(61-thinned) == 0 {
			cuts = append(cuts, i)
			last = i
		}
	}
	return append(cuts, len(s))
}

// mixed returns a number in which each of eight bytes has a part in the upper bits.
func mixed(s string) uint64 {
	return (binary.LittleEndian.Uint64([]byte(s)) + 1) * 0x9E3779B97F4A7C15
}

// tokens appends to cuts where s is cut into tokens, both ends included: a run
// of word characters, a run of blanks, a line end, or any other character.
func tokens(cuts []int, s string) []int {
	cuts = append(cuts, 0)
	for i := 0; i < len(s); {
		c, n := classAt(s, i)
		i += n
		if c == other {
			if s[i-1] == '\r' && i < len(s) && s[i] == '\n' {
				i++
			}
		} else {
			for i < len(s) {
				if s[i] < utf8.RuneSelf && classes[s[i]] == c {
					i++
					continue
				}
				next, n := classAt(s, i)
				if next != c {
					break
				}
				i += n
			}
		}
		cuts = append(cuts, i)
	}
	return cuts
}

// tokenTail returns how many bytes of the token that reaches over i are before
// i, 0 if i is between tokens. i is no place within a character.
func tokenTail(s string, i int) int {
	if i == len(s) {
		return 0
	}
	c, _ := classAt(s, i)
	if c == other {
		return 0
	}
	from := i
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:from])
		if classOf(r) != c {
			break
		}
		from -= n
	}
	return i - from
}

// tokenHead is tokenTail for the bytes of the token that are after i.
func tokenHead(s string, i int) int {
	if i == 0 {
		return 0
	}
	last, _ := utf8.DecodeLastRuneInString(s[:i])
	c := classOf(last)
	if c == other {
		return 0
	}
	to := i
	for to < len(s) {
		next, n := classAt(s, to)
		if next != c {
			break
		}
		to += n
	}
	return to - i
}

// class says with which neighbours a character forms a token.
type class uint8

const (
	other class = iota // stands alone
	word
	blank
)

// classes holds the class of each ASCII character.
var classes = func() (cs [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			cs[r] = word
		case r == ' ' || r == '\t':
			cs[r] = blank
		}
	}
	return cs
}()

// classOf returns the class of r. Letters without case stand alone, because
// scripts such as Han put no blanks between words.
func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return classes[r]
	case unicode.IsLower(r) || unicode.IsUpper(r) || unicode.IsMark(r) || unicode.IsDigit(r):
		return word
	}
	return other
}

// classAt returns the class of the character at i, and its length in bytes.
func classAt(s string, i int) (class, int) {
	if b := s[i]; b < utf8.RuneSelf {
		return classes[b], 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return classOf(r), n
}
