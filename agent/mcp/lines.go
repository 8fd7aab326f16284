package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage bounds one message of a client: the largest document that a server
// edits by default, with room for JSON's escapes.
const maxMessage = 128 << 20

// line is what a client has sent, or why nothing more comes from it. A *jsonrpc.Error
// is about this line alone.
type line struct {
	text []byte
	err  error
}

// listen reads lines until the client or its connection is at an end. It is a goroutine
// of its own, since closing its input need not end a Read.
func (c *client) listen() {
	in := bufio.NewReaderSize(c.in, 64<<10)
	for {
		text, err := readLine(in, maxMessage)
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
		if _, goesOn := errors.AsType[*jsonrpc.Error](err); err != nil && !goesOn {
			return
		}
	}
}

// readLine reads a line of at most so many bytes, and passes a longer one over. The last
// one may have no end.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var text []byte
	for length := 0; ; {
		part, err := in.ReadSlice('\n')
		length += len(part)
		if text = append(text, part...); length > most {
			text = nil // and what it took can be used again
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (length == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		case length > most:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a message of %d bytes; the most is %d", length, most)}
		default:
			return text, nil
		}
	}
}

// idOf returns the id of what is no request, null if it has none that an answer could
// have.
func idOf(raw []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	var word string
	var number float64
	if json.Unmarshal(raw, &m) == nil && (json.Unmarshal(m.ID, &word) == nil || json.Unmarshal(m.ID, &number) == nil) {
		return bytes.Clone(m.ID)
	}
	return json.RawMessage("null")
}
