package headless

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/patchls/patchls/edits/text"
)

// A whole text goes to the server when a document is opened and when it is saved. It is
// written into its frame right away: encoding/json and jsonrpc2 would make four copies
// of it between them, and look at each byte twice.

// headerSpace is room for "Content-Length: ", 20 digits and two line ends.
const headerSpace = 40

// tellText writes a notification whose last member is a text. params has an empty one
// in its place, and behind that nothing but tail. As with tell, a server that is gone
// is no error.
func (e *Editor) tellText(method string, params any, t text.Text, tail string) {
	around, err := encode(params)
	if err != nil {
		return // of our own making: it always encodes
	}
	head := around[:len(around)-len(`"`)-len(tail)]
	b := make([]byte, headerSpace, headerSpace+len(around)+t.Len()+t.Len()/8+2*longestEscape*mostQuoted)
	b = fmt.Appendf(b, `{"jsonrpc":"2.0","method":%q,"params":%s`, method, head)
	for run := range t.Runs() {
		b = appendQuoted(b, run)
	}
	b = append(append(append(b, '"'), tail...), '}')
	header := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(b)-headerSpace)
	frame := b[headerSpace-len(header):]
	copy(frame, header)
	_, _ = e.pipe.Write(frame)
}

// mostQuoted is how many bytes of a text are quoted before there is made room again.
const mostQuoted = 1 << 10

// appendQuoted appends s as it stands between the quotes of JSON. It may be a part of a
// text, cut anywhere.
func appendQuoted(dst []byte, s string) []byte {
	for s != "" {
		piece := s[:min(len(s), mostQuoted)]
		s = s[len(piece):]
		dst = slices.Grow(dst, longestEscape*len(piece)+8)
		n := len(dst)
		n += quote(dst[n:cap(dst)], piece)
		dst = dst[:n]
	}
	return dst
}

// longestEscape is that of a control character, \u0000.
const longestEscape = 6

// quote writes s as it stands between the quotes of JSON, and returns how many bytes it
// wrote. dst has room for what s can become and for a word more.
func quote(dst []byte, s string) (n int) {
	i := 0
	for i < len(s) {
		if len(s)-i >= 8 {
			x := word(s[i:])
			binary.LittleEndian.PutUint64(dst[n:], x)
			stop := stops(x)
			if stop == 0 {
				i, n = i+8, n+8
				continue
			}
			k := bits.TrailingZeros64(stop) / 8
			i, n = i+k, n+k
		}
		c := s[i]
		i++
		switch {
		case escapes[c] != 0:
			dst[n], dst[n+1] = '\\', escapes[c]
			n += 2
		case c < ' ':
			n += copy(dst[n:], fmt.Sprintf(`\u%04x`, c))
		default:
			dst[n] = c
			n++
		}
	}
	return n
}

// escapes are the letters of the characters that are escaped by one.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// word returns the first eight bytes of s.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// stops has the high bit of a byte set where x has a quote, a backslash or a control
// character; behind the first one it may err.
func stops(x uint64) uint64 {
	quote, escape := x^(everyByte*'"'), x^(everyByte*'\\')
	return ((quote-everyByte)&^quote | (escape-everyByte)&^escape | (x-everyByte*' ')&^x) & highBits
}
