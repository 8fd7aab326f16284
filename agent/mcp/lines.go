package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

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

// idOf returns the id of a message as it was sent, null if it has none that an answer
// could have. It reads no further than that.
func idOf(raw []byte) json.RawMessage {
	in := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := in.Token(); err != nil || begin != json.Delim('{') {
		return null
	}
	for in.More() {
		var value json.RawMessage
		name, err := in.Token()
		switch {
		case err != nil || in.Decode(&value) != nil:
			return null
		case name != "id":
		case value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9':
			return value
		default:
			return null
		}
	}
	return null
}

// null is the id of what has none.
var null = json.RawMessage("null")

// keeps reports whether an answer would have the id that was sent: the SDK reads numbers
// as a float64, and cuts off what is behind the point.
func keeps(id jsonrpc.ID, sent json.RawMessage) bool {
	n, isNumber := id.Raw().(int64)
	return !isNumber || strconv.FormatInt(n, 10) == string(sent)
}
