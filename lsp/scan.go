package lsp

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanner reads JSON of a shape that is known, without reflection and without taking
// memory. It is no judge of JSON: whatever is not as plain as it expects makes it give
// up (bad), and the message is then read by encoding/json, whose word counts.
type scanner struct {
	b   []byte
	i   int
	bad bool
}

// object calls member for each member, at its value. A name that member does not
// know, or that comes twice, is given up on by member.
func (s *scanner) object(member func(name []byte)) {
	s.need('{')
	for more := !s.bad && !s.closed('}'); more && !s.bad; more = s.next('}') {
		if name := s.key(); !s.bad {
			member(name)
		}
	}
}

// next takes a comma, or else c, and reports whether it was the comma.
func (s *scanner) next(c byte) bool {
	if s.closed(',') {
		return true
	}
	s.need(c)
	return false
}

// need takes c, in front of which may be space.
func (s *scanner) need(c byte) {
	if !s.closed(c) {
		s.bad = true
	}
}

// closed takes c if it comes next.
func (s *scanner) closed(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return s.spaced(c)
}

// spaced is closed where there may be space.
func (s *scanner) spaced(c byte) bool {
	if s.i == len(s.b) || s.b[s.i] > ' ' {
		return false
	}
	s.space()
	if s.i == len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\r' || s.b[s.i] == '\t') {
		s.i++
	}
}

// key reads the name of a member and the colon behind it. Whether the name is UTF-8 is
// not looked at: it is none that is known if it is not.
func (s *scanner) key() []byte {
	s.need('"')
	b, i := s.b, s.i
	for ; i+8 <= len(b); i += 8 {
		stop := stops(binary.LittleEndian.Uint64(b[i:]))
		if stop == 0 {
			continue
		}
		i += bits.TrailingZeros64(stop) / 8
		if s.bad || b[i] != '"' {
			break
		}
		name := b[s.i:i]
		s.i = i + 1
		s.need(':')
		return name
	}
	s.bad = true // no member that counts ends so near the end of a frame
	return nil
}

// name reads a string without escapes.
func (s *scanner) name() []byte {
	v, escapes := s.string()
	s.bad = s.bad || escapes > 0
	return v
}

// skip reads a value of whatever kind. It does not find all that is wrong in it.
func (s *scanner) skip() {
	for depth := 0; !s.bad; {
		s.space()
		if s.i == len(s.b) {
			s.bad = true
			return
		}
		switch s.b[s.i] {
		case '"':
			s.string()
		case '{', '[':
			depth++
			s.i++
		case '}', ']':
			depth--
			s.i++
		default:
			s.i++
		}
		if depth == 0 && s.i < len(s.b) && (s.b[s.i-1] == '"' || s.b[s.i-1] == '}' || s.b[s.i-1] == ']') {
			return
		}
	}
}

// number reads a number of at most nine digits, with neither sign nor point.
func (s *scanner) number() int {
	s.space()
	b, i, n := s.b, s.i, 0
	for i < len(b) && b[i]-'0' < 10 && i-s.i < 10 {
		n = n*10 + int(b[i]-'0')
		i++
	}
	// What comes next is a comma or an end, or it is given up on there.
	if size := i - s.i; size == 0 || size > 9 || size > 1 && b[s.i] == '0' {
		s.bad = true
	}
	s.i = i
	return n
}

// string reads a string, and returns what is between its quotes as it stands, with
// the number of escapes in it. It is valid UTF-8 without control characters; the
// escapes were not looked at.
func (s *scanner) string() (raw []byte, escapes int) {
	s.need('"')
	from, ascii := s.i, true
	for !s.bad {
		n, plain := ahead(s.b[s.i:])
		s.i, ascii = s.i+n, ascii && plain
		switch {
		case s.i+1 >= len(s.b):
			s.bad = true
		case s.b[s.i] == '"':
			raw = s.b[from:s.i]
			s.i++
			s.bad = !ascii && !utf8.Valid(raw)
			return raw, escapes
		case s.b[s.i] == '\\':
			escapes++
			s.i += 2
		default:
			s.bad = true
		}
	}
	return nil, 0
}

// unquoted reads a long string into memory of its own, in one pass. It gives up where
// an escape is none, or is half of a surrogate pair.
func (s *scanner) unquoted() []byte {
	if s.need('"'); s.bad {
		return nil
	}
	b := s.b[s.i:]
	// Nothing becomes longer, and of two backslashes one goes at least. The words that
	// are written reach past what they are for, but not past what they were read from.
	out := make([]byte, len(b)-bytes.Count(b, backslash)/2+8)
	i, n, high := 0, 0, uint64(0)
	for i < len(b) && b[i] != '"' {
		if len(b)-i >= 8 {
			x := binary.LittleEndian.Uint64(b[i:])
			binary.LittleEndian.PutUint64(out[n:], x)
			high |= x
			stop := stops(x)
			if stop == 0 {
				i, n = i+8, n+8
				continue
			}
			k := bits.TrailingZeros64(stop) / 8
			i, n = i+k, n+k
		}
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && escaped[b[i+1]] != 0:
			out[n] = escaped[b[i+1]]
			i, n = i+2, n+1
		case c == '\\':
			r, size := unescape(b[i:])
			s.bad = size == 0
			high |= uint64(r)
			i, n = i+size, n+utf8.EncodeRune(out[n:], r)
		case c != '"': // one of the last few, or a control character
			s.bad = c < ' '
			high |= uint64(c)
			out[n] = c
			i, n = i+1, n+1
		}
		if s.bad {
			return nil
		}
	}
	s.i += i
	if s.need('"'); s.bad {
		return nil
	}
	if out = out[:n]; high&highBits != 0 && !utf8.Valid(out) {
		s.bad = true
		return nil
	}
	if cap(out)-n > n/16 {
		return bytes.Clone(out)
	}
	return out
}

var backslash = []byte{'\\'}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// ahead returns how many bytes come before a quote, a backslash or a control
// character, and whether they are ASCII; of what is behind them it may say so too.
func ahead(b []byte) (n int, ascii bool) {
	high := uint64(0)
	for len(b)-n >= 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		high |= x
		if stop := stops(x); stop != 0 {
			return n + bits.TrailingZeros64(stop)/8, high&highBits == 0
		}
		n += 8
	}
	for n < len(b) && b[n] != '"' && b[n] != '\\' && b[n] >= ' ' {
		high |= uint64(b[n])
		n++
	}
	return n, high&highBits == 0
}

// stops has the high bit of a byte set where x has a quote, a backslash or a control
// character; behind the first one it may err.
func stops(x uint64) uint64 {
	quote, escape := x^(everyByte*'"'), x^(everyByte*'\\')
	return ((quote-everyByte)&^quote | (escape-everyByte)&^escape | (x-everyByte*' ')&^x) & highBits
}

// appendUnquoted appends what a string is that [scanner.string] has read. It is not ok
// where an escape is none, or is half of a surrogate pair.
func appendUnquoted(dst, raw []byte) (out []byte, ok bool) {
	for len(raw) > 0 {
		n, _ := ahead(raw)
		dst, raw = append(dst, raw[:n]...), raw[n:]
		if len(raw) == 0 {
			break
		}
		r, size := unescape(raw)
		if size == 0 {
			return dst, false
		}
		dst, raw = utf8.AppendRune(dst, r), raw[size:]
	}
	return dst, true
}

// escaped are the characters of the escapes of one letter.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape returns the character that b begins with an escape of, and how long that
// is, 0 if it is none.
func unescape(b []byte) (r rune, size int) {
	if len(b) >= 2 && b[0] == '\\' {
		if c := escaped[b[1]]; c != 0 {
			return rune(c), 2
		}
	}
	r, ok := codeUnit(b)
	switch {
	case !ok, r >= 0xDC00 && r < 0xE000:
		return 0, 0
	case r < 0xD800 || r >= 0xE000:
		return r, 6
	}
	low, ok := codeUnit(b[6:])
	if !ok || low < 0xDC00 || low >= 0xE000 {
		return 0, 0
	}
	return 0x10000 + (r-0xD800)<<10 + low - 0xDC00, 12
}

// codeUnit returns the UTF-16 code unit of an escape like \u00e9.
func codeUnit(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
