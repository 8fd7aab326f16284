// Package wire shows a test the messages of an editor's connection to its server, as they are on the wire.
package wire

import (
	"bytes"
	"io"

	"github.com/patchls/patchls/internal/framing"
)

// Conn is a connection whose messages a test sees. The bytes that the functions get are valid only during the call. Each may
// be nil; Sending and Sent are called by the one who writes, Received by the one who reads.
type Conn struct {
	io.ReadWriteCloser
	Sending  func(message []byte) // before a message is written
	Sent     func(message []byte) // after it was written
	Received func(message []byte) // before a message that has come is read

	in     *framing.Reader
	unread []byte // of the message that has come, with its header
}

// Read implements [io.Reader].
func (c *Conn) Read(p []byte) (int, error) {
	if len(c.unread) == 0 {
		if c.in == nil {
			c.in = framing.NewReader(c.ReadWriteCloser)
		}
		body, err := c.in.Read()
		if err != nil {
			return 0, err
		}
		call(c.Received, body)
		c.unread = Message(body)
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// Write implements [io.Writer]. An editor writes each message with one write.
func (c *Conn) Write(message []byte) (int, error) {
	_, body, _ := bytes.Cut(message, []byte("\r\n\r\n"))
	call(c.Sending, body)
	n, err := c.ReadWriteCloser.Write(message)
	if err == nil {
		call(c.Sent, body)
	}
	return n, err
}

func call(f func(message []byte), body []byte) {
	if f != nil {
		f(body)
	}
}

// Message returns a body with its header.
func Message(body []byte) []byte {
	var message bytes.Buffer
	_ = framing.NewWriter(&message).Write(func(b []byte) []byte { return append(b, body...) })
	return message.Bytes()
}
