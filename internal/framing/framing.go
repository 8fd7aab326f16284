// Package framing reads and writes messages as the base protocol of LSP frames
// them: a header that gives the length of the body, an empty line, and the body.
//
//	Content-Length: 17\r\n
//	\r\n
//	{"jsonrpc":"2.0"}
//
// A [Reader] reads messages, and a [Writer] writes them. Neither looks at the content of a body.
//
// The peer is not trusted: a header is at most 8 KB, and memory for a body is allocated
// as the body arrives, not when the header announces it.
package framing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

const (
	// maxHeader bounds the header of one message.
	maxHeader = 8 << 10
	// maxKept bounds the buffer that is kept from one message to the next.
	maxKept = 1 << 20
	// maxBody is more bytes than any document has as JSON.
	maxBody = 1 << 30
	// minBody is the memory that is allocated for the beginning of a body.
	minBody = 64 << 10
)

// ErrHeader means that a header is malformed. The start of the next message is then unknown.
var ErrHeader = errors.New("malformed message header")

// A Reader reads the messages of a stream. It is for one goroutine at a time.
type Reader struct {
	in        *bufio.Reader
	remaining int64 // bytes of the current message that have not been read
	buf       []byte
}

// NewReader returns a Reader that reads from r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 64<<10)} }

// Next goes to the next message and returns the length of its body. The error is [io.EOF] if the stream ends before it.
func (r *Reader) Next() (int64, error) {
	if err := r.Skip(); err != nil {
		return 0, err
	}
	body := int64(-1)
	for size := 0; ; {
		line := r.buf[:0]
		for !bytes.HasSuffix(line, []byte("\n")) { // byte by byte, to wait for no more than a header may have
			c, err := r.in.ReadByte()
			if err != nil && size > 0 {
				return 0, unexpected(err)
			}
			if err != nil {
				return 0, err
			}
			if size++; size > maxHeader {
				return 0, ErrHeader
			}
			line = append(line, c)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 && body < 0 {
			return 0, fmt.Errorf("%w: no Content-Length", ErrHeader)
		}
		if len(line) == 0 {
			r.remaining = body
			return body, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			body, ok = n, err == nil && n >= 0
		}
		if !ok {
			return 0, fmt.Errorf("%w: %.80q", ErrHeader, line)
		}
	}
}

// Body returns the body of the current message. It is valid until the next call of a method.
func (r *Reader) Body() ([]byte, error) {
	if cap(r.buf) > maxKept {
		r.buf = nil
	}
	n, body := int(r.remaining), r.buf[:0]
	r.remaining = 0
	for missing := n; missing > 0; missing = n - len(body) {
		if len(body) == cap(body) { // memory is allocated as the body arrives
			body = slices.Grow(body, min(missing, 7*len(body)+minBody))
		}
		m, err := io.ReadFull(r.in, body[len(body):min(cap(body), n)])
		body = body[:len(body)+m]
		if err != nil {
			return nil, unexpected(err)
		}
	}
	r.buf = body
	return body, nil
}

// Read returns the body of the next message, or an error if the body is longer than a
// gigabyte. The body is valid until the next call of a method.
func (r *Reader) Read() ([]byte, error) {
	n, err := r.Next()
	if err != nil {
		return nil, err
	}
	if n > maxBody {
		return nil, fmt.Errorf("a message of %d bytes is longer than %d", n, maxBody)
	}
	return r.Body()
}

// Peek returns the first n bytes of the current message's body, or all of a shorter
// body, without consuming them. It returns fewer if the stream ends. n is at most 64 KB.
func (r *Reader) Peek(n int) []byte {
	b, _ := r.in.Peek(int(min(int64(n), r.remaining)))
	return b
}

// Skip passes over the body of the current message.
func (r *Reader) Skip() error {
	left := r.remaining
	r.remaining = 0
	_, err := io.CopyN(io.Discard, r.in, left)
	return unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A Writer writes messages to a stream. It is for one goroutine at a time.
type Writer struct {
	out io.Writer
	buf []byte
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{out: w} }

// headerSpace is the length of the longest header.
const headerSpace = 40

// Write writes a message with one write. appendBody appends the body to its argument.
//
// The length of the body is known only once the body is appended, so Write reserves
// space for the header and puts the header right before the body.
func (w *Writer) Write(appendBody func([]byte) []byte) error {
	if cap(w.buf) > maxKept {
		w.buf = nil
	}
	var space [headerSpace]byte
	w.buf = appendBody(append(w.buf[:0], space[:]...))
	head := fmt.Appendf(space[:0], "Content-Length: %d\r\n\r\n", len(w.buf)-headerSpace)
	message := w.buf[headerSpace-len(head):]
	copy(message, head)
	_, err := w.out.Write(message)
	return err
}
