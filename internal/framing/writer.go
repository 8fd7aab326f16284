package framing

import (
	"io"
	"strconv"
)

// Append appends a message with the given body to b.
func Append(b, body []byte) []byte {
	return append(appendHeader(b, len(body)), body...)
}

func appendHeader(b []byte, length int) []byte {
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(length), 10)
	return append(b, "\r\n\r\n"...)
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
	header := appendHeader(space[:0], len(w.buf)-headerSpace)
	message := w.buf[headerSpace-len(header):]
	copy(message, header)
	_, err := w.out.Write(message)
	return err
}
