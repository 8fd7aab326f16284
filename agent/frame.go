package agent

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

const (
	maxHeaderBytes = 8 << 10
	// maxAnswerBytes is above what any document is as JSON.
	maxAnswerBytes = 1 << 30
	// keepBuffer is how much of a read buffer outlives its message.
	keepBuffer = 1 << 20
)

var errFrame = errors.New("what came is no message of JSON-RPC")

// frames reads messages as LSP's base protocol frames them. jsonrpc2's own stream, by
// which they are written, takes memory for what a header announces before a byte of it
// came; here it is taken as they come.
type frames struct {
	jsonrpc2.Stream
	in   *bufio.Reader
	body bytes.Buffer
}

func newFrames(conn net.Conn) *frames {
	return &frames{Stream: jsonrpc2.NewStream(conn), in: bufio.NewReader(conn)}
}

// Read returns the next message, whose bytes are valid until the next Read.
func (f *frames) Read(context.Context) (jsonrpc2.Message, int64, error) {
	n, err := f.header()
	if err != nil {
		return nil, 0, err
	}
	if f.body.Cap() > keepBuffer {
		f.body = bytes.Buffer{}
	}
	f.body.Reset()
	if _, err := io.CopyN(&f.body, f.in, n); err != nil {
		return nil, 0, err
	}
	msg, err := jsonrpc2.DecodeMessage(f.body.Bytes())
	return msg, n, err
}

// header reads a header and returns the length of the body.
func (f *frames) header() (int64, error) {
	length, read := int64(-1), 0
	for {
		line, err := f.in.ReadSlice('\n')
		if read += len(line); err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 && length >= 0 {
			return length, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || read > maxHeaderBytes {
			return 0, errFrame
		}
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil || length < 0 || length > maxAnswerBytes {
				return 0, errFrame
			}
		}
	}
}
