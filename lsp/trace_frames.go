package lsp

import (
	"bytes"
	"math"
	"strconv"
)

// mostFrame bounds the bytes that wait for the rest of their message.
const mostFrame = 64 << 20

// frames cuts what passes into messages, in whatever pieces it comes. It reads
// headers as [stream] does, but goes on where that one gives up.
type frames struct {
	buf  []byte
	left int // bytes to come of a message that is too big to wait for
}

// add takes bytes in and calls found for each message that is whole, with its header
// and where its body begins, and for each piece that is no message, with a body of -1;
// where such pieces are cut depends on how they came.
// The bytes are valid during the call.
func (f *frames) add(p []byte, found func(b []byte, body int)) {
	f.buf = append(f.buf, p...)
	rest := f.buf
	for len(rest) > 0 {
		n, body, more := f.next(rest)
		if more {
			break
		}
		found(rest[:n], body)
		rest = rest[n:]
	}
	f.buf = f.buf[:copy(f.buf, rest)]
	if len(f.buf) == 0 && cap(f.buf) > keepBuffer {
		f.buf = nil
	}
}

// cut calls found with what has come of a message that is not whole.
func (f *frames) cut(found func(b []byte, body int)) {
	if len(f.buf) > 0 {
		found(f.buf, -1)
	}
	f.buf, f.left = nil, 0
}

// next says how many bytes are the first message of b, or no message; or that more of
// them are needed to know.
func (f *frames) next(b []byte) (n, body int, more bool) {
	if f.left > 0 {
		n = min(f.left, len(b))
		f.left -= n
		return n, -1, false
	}
	body, length, ok := frameHeader(b)
	switch {
	case !ok: // no header; perhaps one begins later
		at := bytes.Index(b[1:], []byte("Content-Length:"))
		if at >= 0 {
			return at + 1, -1, false
		}
		if len(b) > maxHeaderBytes {
			return maxHeaderBytes - len("Content-Length:"), -1, false
		}
		return 0, 0, true
	case body == 0:
		return 0, 0, true
	case length > mostFrame:
		f.left = length
		return body, -1, false
	case len(b)-body < length:
		return 0, 0, true
	}
	return body + length, body, false
}

// frameHeader returns where the header at the start of b ends, 0 if more of it is to
// come, and the length that it says. It is not ok if b begins with no header.
func frameHeader(b []byte) (end, length int, ok bool) {
	length = -1
	more := len(b) <= maxHeaderBytes
	b = b[:min(len(b), maxHeaderBytes)]
	for {
		i := bytes.IndexByte(b[end:], '\n')
		if i < 0 {
			break
		}
		line := bytes.TrimRight(b[end:end+i], "\r")
		end += i + 1
		if len(line) == 0 {
			return end, length, length >= 0
		}
		name, value, isField := bytes.Cut(line, []byte(":"))
		if !isField {
			return 0, 0, false
		}
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil || n < 0 || n > math.MaxInt32 {
				return 0, 0, false
			}
			length = int(n)
		}
	}
	return 0, 0, more
}
