package diff

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxTokenBytes is the length up to which text is split into tokens.
	maxTokenBytes = 1 << 10
	// alikePercent is the share of the characters, not counting blanks, that must
	// stay for lines to count as a new version of more or fewer other lines.
	alikePercent = 66
)

// change makes old, which is at offset at, into want. The text between the common ends, extended to whole tokens, is changed
// token by token if percent of the characters stay; else phrase by phrase if it is within one line; else by one edit.
func (r *rewriter) change(at int, old, want string, percent int, oneLine bool) {
	p, q := CommonEnds(old, want)
	if p+q < min(len(old), len(want)) {
		p0 := p - max(tokenTail(old, p), tokenTail(want, p))
		q0 := q - max(tokenHead(old, len(old)-q), tokenHead(want, len(want)-q))
		was, is := old[p0:len(old)-q0], want[p0:len(want)-q0]
		if r.changeTokens(at+p0, was, is, percent) || oneLine && r.changePhrases(at+p0, was, is) {
			return
		}
	}
	r.edit(at+p, old[p:len(old)-q], want[p:len(want)-q])
}

// changeTokens makes old into want token by token. It returns false, and does nothing, if that
// costs too much or if less than percent of the shorter text's characters would stay.
func (r *rewriter) changeTokens(at int, old, want string, percent int) bool {
	if max(len(old), len(want)) > maxTokenBytes || r.work == 0 {
		return false
	}
	a, b := tokens(old), tokens(want)
	match := slices.Repeat([]int32{none}, len(a)-1)
	stay := 0
	if !r.heaviest(len(a)-1, len(b)-1, func(i int, ws []int32) {
		x := old[a[i]:a[i+1]]
		for j := range ws {
			ws[j] = 0
			if n := b[j+1] - b[j]; n == len(x) && want[b[j]] == x[0] && want[b[j]:b[j+1]] == x {
				ws[j] = int32(n)
			}
		}
	}, func(i, j int) {
		match[i] = int32(j)
		stay += inked(old[a[i]:a[i+1]])
	}) {
		return false
	}
	if percent > 0 && 100*stay < percent*min(inked(old), inked(want)) {
		return false
	}
	for g := range gaps(match, box{0, len(a) - 1, 0, len(b) - 1}) {
		r.edit(at+a[g.a0], old[a[g.a0]:a[g.a1]], want[b[g.b0]:b[g.b1]])
	}
	return true
}

// changePhrases makes old into want, which are too long for tokens, phrase by phrase, and the text between equal phrases
// token by token. It returns false, and does nothing, if they are too short for that to be worthwhile.
func (r *rewriter) changePhrases(at int, old, want string) bool {
	if r.work == 0 && max(len(old), len(want)) <= maxTokenBytes || min(len(old), len(want)) < minPhrase {
		return false
	}
	thinned := bits.Len(uint(max(len(old), len(want)) / (manyPhrases * minPhrase)))
	a, b := phrases(old, thinned), phrases(want, thinned)
	names := make(numbers, max(len(a), len(b)))
	x, y := names.ofPieces(old, a), names.ofPieces(want, b)
	match := align(&r.weigher, x, y, len(names), func(i, j int, ws []int32) {
		for k := range ws {
			ws[k] = 0
			if x[i] == y[j+k] {
				ws[k] = int32(a[i+1] - a[i])
			}
		}
	})
	for g := range gaps(match, box{0, len(x), 0, len(y)}) {
		r.change(at+a[g.a0], old[a[g.a0]:a[g.a1]], want[b[g.b0]:b[g.b1]], 0, false)
		if i, j := g.a1, g.b1; i < len(x) && old[a[i]:a[i+1]] != want[b[j]:b[j+1]] {
			r.change(at+a[i], old[a[i]:a[i+1]], want[b[j]:b[j+1]], 0, false)
		}
	}
	return true
}

// inked returns how many bytes of s are not blank.
func inked(s string) int {
	n := len(s)
	for i := range len(s) {
		if strings.IndexByte(" \t\r\n", s[i]) >= 0 {
			n--
		}
	}
	return n
}

const (
	// minPhrase is the minimum length of most phrases, in bytes.
	minPhrase = 12
	// manyPhrases is about the maximum number of phrases in a line. In a longer line, phrases are
	// at least twice as long, so that they do not take much more memory than the line itself.
	manyPhrases = 1 << 16
)

// phrases returns where a long line is cut into phrases, including both ends: after punctuation and blanks if the phrase is
// long enough, and after one in eight of them at any length. Which ones depends only on the eight bytes before. So after a
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

// mixed returns a number whose upper bits depend on all eight bytes of s.
func mixed(s string) uint64 {
	return (binary.LittleEndian.Uint64([]byte(s)) + 1) * 0x9E3779B97F4A7C15
}

// tokens returns where s is cut into tokens, including both ends: a run of word
// characters, a run of blanks, a line end, or any other character.
func tokens(s string) []int {
	cuts := make([]int, 1, len(s)/2+2)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch c := classOf(r); {
		case c != other:
			n = len(s) - i - len(strings.TrimLeftFunc(s[i:], c.has))
		case strings.HasPrefix(s[i:], "\r\n"):
			n = len("\r\n")
		}
		i += n
		cuts = append(cuts, i)
	}
	return cuts
}

// tokenTail returns how many bytes of the token that covers i are before i, or
// 0 if i is between tokens. i must not be inside a character.
func tokenTail(s string, i int) int {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return i - len(strings.TrimRightFunc(s[:i], classOf(r).has))
}

// tokenHead is tokenTail for the bytes of the token that are after i.
func tokenHead(s string, i int) int {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return len(s) - i - len(strings.TrimLeftFunc(s[i:], classOf(r).has))
}

// class says with which neighbours a character forms one token.
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

// classOf returns the class of r. Letters without case stand alone, because scripts such as Han put no blanks between words.
func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return classes[r]
	case unicode.IsLower(r) || unicode.IsUpper(r) || unicode.IsMark(r) || unicode.IsDigit(r):
		return word
	}
	return other
}

// has reports whether r belongs to a token of the class with others.
func (c class) has(r rune) bool { return c != other && classOf(r) == c }
