package edits

import (
	"strings"
	"unicode/utf8"
)

// widen moves the ends of the range, and adds what want then needs, to where
// they cut no character and no "\r\n" in two, in s or in the result. A "\r" right
// before the range comes into it: it is content, which a line end put after it
// must not make into a part of itself.
func widen(s string, start, end int, want string) (int, int, string) {
	if start > 0 && s[start-1] == '\r' && !splits(s, start) && strings.HasPrefix(want, "\n") {
		want = "\r" + want
	}
	for splits(s, start) || start > 0 && s[start-1] == '\r' {
		start--
		want = s[start:start+1] + want
	}
	for splits(s, end) || strings.HasPrefix(s[end:], "\n") && strings.HasSuffix(want, "\r") {
		want += s[end : end+1]
		end++
	}
	return start, end, want
}

// equalHead returns the length in a and in b of the leading lines that are equal but
// for the kind of line end.
func equalHead(a, b string) (int, int) {
	i, j := 0, 0
	for {
		n := commonPrefix(a[i:], b[j:])
		i, j = i+n, j+n
		switch {
		case i == len(a) && j == len(b):
			return i, j
		case strings.HasPrefix(a[i:], "\r\n") && startsBareLF(b, j):
			i, j = i+2, j+1
		case strings.HasPrefix(b[j:], "\r\n") && startsBareLF(a, i):
			i, j = i+1, j+2
		default: // of this line only the start is common
			n := i - lineStart(a, i)
			return i - n, j - n
		}
	}
}

// cutEqualTail returns a and b without their last lines that are equal but for the
// kind of line end.
func cutEqualTail(a, b string) (string, string) {
	i, j := len(a), len(b)
	for {
		n := commonSuffix(a[:i], b[:j])
		i, j = i-n, j-n
		switch {
		case startsBareLF(b, j) && splits(a, i):
			i--
		case startsBareLF(a, i) && splits(b, j):
			j--
		case endsLine(a[:i]) && endsLine(b[:j]):
			return a[:i], b[:j]
		default: // only the end of this line is common
			return a[:i+len(firstLine(a[i:]))], b[:j+len(firstLine(b[j:]))]
		}
	}
}

// startsBareLF reports whether a "\n" is at i of s, and no "\r" before it.
func startsBareLF(s string, i int) bool {
	return i < len(s) && s[i] == '\n' && (i == 0 || s[i-1] != '\r')
}

// commonHeadLines returns the length in bytes of the terminated lines with which
// both a and b begin.
func commonHeadLines(a, b string) int {
	return lineStart(a, commonPrefix(a, b))
}

// commonTailLines returns the length in bytes of the lines with which both a and
// b end.
func commonTailLines(a, b string) int {
	n := commonSuffix(a, b)
	if endsLine(a[:len(a)-n]) && endsLine(b[:len(b)-n]) {
		return n
	}
	return n - len(firstLine(a[len(a)-n:])) // of that line only the end is common
}

// lineStart returns where the line of s that reaches to i begins.
func lineStart(s string, i int) int {
	// Go looks for the first byte of a kind much faster than for the last one.
	const far = 1 << 12
	for i > far && strings.IndexByte(s[i-far:i], '\n') < 0 {
		i -= far
	}
	return strings.LastIndexByte(s[:i], '\n') + 1
}

// firstLine returns the first line of s, with its line end.
func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// endsLine reports whether what follows s is the start of a line.
func endsLine(s string) bool { return s == "" || s[len(s)-1] == '\n' }

// commonEnds returns the length of the longest common prefix of a and b, and of
// the longest common suffix of what is left, both made of whole characters: a
// "\r\n" counts as one.
func commonEnds(a, b string) (prefix, suffix int) {
	p := commonPrefix(a, b)
	for splits(a, p) || splits(b, p) {
		p--
	}
	q := commonSuffix(a[p:], b[p:])
	for splits(a, len(a)-q) || splits(b, len(b)-q) {
		q--
	}
	return p, q
}

// stride and short are how many bytes are compared at a time while they are the same.
const stride, short = 64, 8

// commonPrefix returns the length of the longest common prefix in bytes.
func commonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+stride <= n && a[i:i+stride] == b[i:i+stride] {
		i += stride
	}
	for i+short <= n && a[i:i+short] == b[i:i+short] {
		i += short
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix returns the length of the longest common suffix in bytes.
func commonSuffix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	a, b = a[len(a)-n:], b[len(b)-n:]
	for i+stride <= n && a[n-i-stride:n-i] == b[n-i-stride:n-i] {
		i += stride
	}
	for i+short <= n && a[n-i-short:n-i] == b[n-i-short:n-i] {
		i += short
	}
	for i < n && a[n-i-1] == b[n-i-1] {
		i++
	}
	return i
}

// splits reports whether offset i is within a character or a "\r\n" of s. It is
// never so in bytes that are not valid UTF-8.
func splits(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	if s[i] == '\n' {
		return s[i-1] == '\r'
	}
	for from := i; from > 0 && i-from < utf8.UTFMax && !utf8.RuneStart(s[from]); {
		from--
		if _, n := utf8.DecodeRuneInString(s[from:]); from+n > i {
			return true
		}
	}
	return false
}
