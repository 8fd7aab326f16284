package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// plainHeader is how nearly all headers begin, and end with two line ends.
const plainHeader = "Content-Length: "

// readPlainHeader reads a header that has nothing but a length, if it has come whole.
func (s *stream) readPlainHeader() (n int64, ok bool) {
	b, _ := s.in.Peek(s.in.Buffered())
	if !bytes.HasPrefix(b, []byte(plainHeader)) {
		return 0, false
	}
	i := len(plainHeader)
	for ; i < len(b) && b[i]-'0' < 10 && i < len(plainHeader)+18; i++ {
		n = n*10 + int64(b[i]-'0')
	}
	if i == len(plainHeader) || !bytes.HasPrefix(b[i:], []byte("\r\n\r\n")) {
		return 0, false
	}
	_, _ = s.in.Discard(i + len("\r\n\r\n")) // of what is buffered
	return n, true
}

// readHeader reads a header and returns the length of the body.
func (s *stream) readHeader() (int64, error) {
	if _, err := s.in.Peek(1); err == nil {
		if n, ok := s.readPlainHeader(); ok {
			return n, nil
		}
	}
	length, read := int64(-1), 0
	for {
		line, err := s.in.ReadSlice('\n')
		read += len(line)
		if err != nil || read > maxHeaderBytes {
			if errors.Is(err, io.EOF) && read == 0 {
				return 0, io.EOF
			}
			if err == nil || errors.Is(err, bufio.ErrBufferFull) {
				err = errHeader
			}
			return 0, unexpected(err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if length < 0 {
				return 0, fmt.Errorf("%w: no Content-Length", errHeader)
			}
			return length, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return 0, fmt.Errorf("%w: %.80q", errHeader, line)
		}
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil || length < 0 {
				return 0, fmt.Errorf("%w: %.80q", errHeader, line)
			}
		}
	}
}

// readBody reads n bytes. What fits is left in the buffer of the reader; else memory is
// taken as they come.
func (s *stream) readBody(n int) ([]byte, error) {
	if cap(s.buf) > keepBuffer {
		s.buf = nil
	}
	if n <= s.in.Size() {
		body, err := s.in.Peek(n)
		_, _ = s.in.Discard(len(body)) // of what is buffered, and stays there until the next read
		return body, err
	}
	buf := s.buf[:0]
	for len(buf) < n {
		if len(buf) == cap(buf) {
			buf = roomier(buf, n)
		}
		k, err := io.ReadFull(s.in, buf[len(buf):min(cap(buf), n)])
		buf = buf[:len(buf)+k]
		if err != nil {
			return nil, err
		}
	}
	s.buf = buf
	return buf, nil
}

// roomier returns buf, which is full, with room for more of a body of n bytes: two
// megabytes at most before any has come, and at most sixteen times what has. Of a body
// of 50 MB nine are copied on the way.
func roomier(buf []byte, n int) []byte {
	size := max(keepBuffer, 8*len(buf))
	if n <= 2*size {
		size = n
	}
	// Not slices.Grow: that writes zeros to all of it, and so takes it from the system.
	grown := make([]byte, size)
	return grown[:copy(grown, buf)]
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
