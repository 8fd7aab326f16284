package framing

import "bytes"

// maxSplit bounds the body of a message that a Splitter waits for.
const maxSplit = 64 << 20

// A Splitter finds the messages in the bytes of a stream, which come in pieces. The
// zero value is ready for use.
type Splitter struct {
	buf  []byte
	skip int64 // bytes to come of a message that is too long to wait for
}

// Add takes the next bytes. It calls found with the body of each message that is
// whole now, and with bytes that are no message, which are valid during the call.
// Of a message of more than 64 MB found gets the header, as bytes.
func (s *Splitter) Add(p []byte, found func(b []byte, isMessage bool)) {
	s.buf = append(s.buf, p...)
	rest := s.buf
	for len(rest) > 0 {
		n := s.first(rest, found)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	s.keep(rest)
}

// first calls found with what b begins with, and returns how long that is: 0 if the
// rest has to come first.
func (s *Splitter) first(b []byte, found func(b []byte, isMessage bool)) int {
	if s.skip > 0 {
		n := min(s.skip, int64(len(b)))
		s.skip -= n
		return int(n)
	}
	header, length, err := parseHeader(b)
	switch {
	case err != nil: // up to what may be the next header
		header = bytes.Index(b, []byte("\r\n\r\n"))
		if header < 0 && len(b) <= maxHeader {
			return 0
		}
		if header < 0 {
			header = len(b)
		} else {
			header += len("\r\n\r\n")
		}
	case length > maxSplit:
		s.skip = length
	case header == 0, int64(len(b)-header) < length:
		return 0
	default:
		message := b[:header+int(length)]
		found(message[header:], true)
		return len(message)
	}
	found(b[:header], false)
	return header
}

// keep keeps rest, which is the end of the buffer.
func (s *Splitter) keep(rest []byte) {
	switch {
	case len(rest) == len(s.buf):
	case cap(s.buf) > maxKept:
		s.buf = bytes.Clone(rest)
	default:
		s.buf = s.buf[:copy(s.buf, rest)]
	}
}

// Rest returns the bytes that wait for the rest of their message.
func (s *Splitter) Rest() []byte { return s.buf }
