package diff

import (
	"strings"
	"unicode/utf8"
)

// widen moves the ends of the range, and adds what want then needs, to where
// they cut no character and no "\r\n" in two, in s or in the result. A "\r" right
// before the range comes into it: it is content, which a line end put after it
// must not make into a part of itself.
func widen(s string, start, end int, want string) (int, int, string) {
	if start > 0 && s[start-1] == '\r' && !Splits(s, start) && strings.HasPrefix(want, "\n") {
		want = "\r" + want
	}
	for Splits(s, start) || start > 0 && s[start-1] == '\r' {
		start--
		want = s[start:start+1] + want
	}
	for Splits(s, end) || strings.HasPrefix(s[end:], "\n") && strings.HasSuffix(want, "\r") {
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
		n := CommonPrefix(a[i:], b[j:])
		i, j = i+n, j+n
		switch {
		case i == len(a) && j == len(b):
			return i, j
		case strings.HasPrefix(a[i:], "\r\n") && StartsBareLF(b, j):
			i, j = i+2, j+1
		case strings.HasPrefix(b[j:], "\r\n") && StartsBareLF(a, i):
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
		n := CommonSuffix(a[:i], b[:j])
		i, j = i-n, j-n
		switch {
		case StartsBareLF(b, j) && Splits(a, i):
			i--
		case StartsBareLF(a, i) && Splits(b, j):
			j--
		case EndsLine(a[:i]) && EndsLine(b[:j]):
			return a[:i], b[:j]
		default: // only the end of this line is common
			return a[:i+len(FirstLine(a[i:]))], b[:j+len(FirstLine(b[j:]))]
		}
	}
}

// StartsBareLF reports whether a "\n" is at i of s, and no "\r" before it.
func StartsBareLF(s string, i int) bool {
	return i < len(s) && s[i] == '\n' && (i == 0 || s[i-1] != '\r')
}

// commonHeadLines returns the length in bytes of the terminated lines with which
// both a and b begin.
func commonHeadLines(a, b string) int {
	return lineStart(a, CommonPrefix(a, b))
}

// commonTailLines returns the length in bytes of the lines with which both a and
// b end.
func commonTailLines(a, b string) int {
	n := CommonSuffix(a, b)
	if EndsLine(a[:len(a)-n]) && EndsLine(b[:len(b)-n]) {
		return n
	}
	return n - len(FirstLine(a[len(a)-n:])) // of that line only the end is common
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

// FirstLine returns the first line of s, with its line end.
func FirstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// EndsLine reports whether what follows s is the start of a line.
func EndsLine(s string) bool { return s == "" || s[len(s)-1] == '\n' }

// CommonEnds returns the length of the longest common prefix of a and b, and of
// the longest common suffix of what is left, both made of whole characters: a
// "\r\n" counts as one.
func CommonEnds(a, b string) (prefix, suffix int) {
	p := CommonPrefix(a, b)
	for Splits(a, p) || Splits(b, p) {
		p--
	}
	q := CommonSuffix(a[p:], b[p:])
	for Splits(a, len(a)-q) || Splits(b, len(b)-q) {
		q--
	}
	return p, q
}

// strides are how many bytes are compared at a time while they are the same.
var strides = [...]int{64, 8, 1}

// CommonPrefix returns the length of the longest common prefix in bytes.
func CommonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for _, stride := range strides {
		for i+stride <= n && a[i:i+stride] == b[i:i+stride] {
			i += stride
		}
	}
	return i
}

// CommonSuffix returns the length of the longest common suffix in bytes.
func CommonSuffix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	a, b = a[len(a)-n:], b[len(b)-n:]
	for _, stride := range strides {
		for i+stride <= n && a[n-i-stride:n-i] == b[n-i-stride:n-i] {
			i += stride
		}
	}
	return i
}

// Splits reports whether offset i is within a character or a "\r\n" of s. It is
// never so in bytes that are not valid UTF-8.
func Splits(s string, i int) bool {
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
