package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// lingering is how long to wait for requests in flight after their client has ended its input: longer than a command takes.
const lingering = 30 * time.Second

// notRequest replaces the SDK's message, which only helps readers who know the SDK's types.
const notRequest = `not a request: it takes "jsonrpc", which is "2.0", "method", and "id", a string or a whole number up to 2^53`

// client is the connection to a client: a JSON message per line. It replaces the SDK's, which ends at the first line that is
// not a message, and which gives up requests in flight at the end of its input.
type client struct {
	in    io.Reader
	out   io.Writer
	order *order

	lines   chan line
	writing sync.Mutex

	mu       sync.Mutex
	underWay map[jsonrpc.ID]func() // requests in flight, with the function that their answer calls
	owed     atomic.Int64          // the number of answers that are not written yet
	wake     chan struct{}         // wakes linger

	once   sync.Once
	closed chan struct{}
	broken atomic.Bool // the input has ended, or a write has failed
}

// Connect implements [sdk.Transport].
func (c *client) Connect(context.Context) (sdk.Connection, error) {
	go c.listen()
	return c, nil
}

// SessionID implements [sdk.Connection].
func (c *client) SessionID() string { return "" }

// Read implements [sdk.Connection]. It answers lines that are not messages with an error.
func (c *client) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var l line
		select {
		case l = <-c.lines:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			l.err = io.EOF
		}
		if errors.Is(l.err, io.EOF) {
			c.linger(ctx)
		}
		wrong, refused := errors.AsType[*jsonrpc.Error](l.err)
		switch {
		case l.err != nil && !refused:
			return nil, l.err
		case !refused && len(bytes.TrimSpace(l.text)) == 0:
			continue
		}
		l.text = bytes.TrimPrefix(l.text, []byte("\ufeff")) // which some shells write at the start
		var msg jsonrpc.Message
		id := null
		if !refused {
			msg, id, wrong = message(l.text)
		}
		if wrong == nil {
			wrong = c.admit(msg)
		}
		if wrong == nil {
			return msg, nil
		}
		answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": wrong}) // strings and numbers always encode
		if err := c.send(answer); err != nil {
			return nil, err
		}
	}
}

// null is the id in the answer to a message that has no valid id.
var null = json.RawMessage("null")

// message decodes a message. If it cannot, it returns the id for the answer, and the error.
func message(text []byte) (jsonrpc.Message, json.RawMessage, *jsonrpc.Error) {
	var sent struct {
		ID json.RawMessage `json:"id"`
	}
	err := json.Unmarshal(text, &sent)
	if _, malformed := errors.AsType[*json.SyntaxError](err); malformed {
		return nil, null, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not one JSON value on one line: " + err.Error()}
	}
	if len(sent.ID) == 0 || !(sent.ID[0] == '"' || sent.ID[0] == '-' || sent.ID[0] >= '0' && sent.ID[0] <= '9') {
		sent.ID = null
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil || !keeps(msg, sent.ID) {
		return nil, sent.ID, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: notRequest}
	}
	return msg, null, nil
}

// keeps reports whether an answer to msg would have the id that was sent: the SDK reads a number
// as a float64, and drops its fraction.
func keeps(msg jsonrpc.Message, sent json.RawMessage) bool {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return true
	}
	n, isNumber := req.ID.Raw().(int64)
	return !isNumber || strconv.FormatInt(n, 10) == string(sent)
}

// admit records a request, and gives a tool call its turn.
func (c *client) admit(msg jsonrpc.Message) *jsonrpc.Error {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() || req.Method == "subscriptions/listen" { // which stays open to the end
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay[req.ID] != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the id %v is that of a request under way", req.ID.Raw())}
	}
	c.underWay[req.ID] = func() {}
	c.owed.Add(1)
	if req.Method == "tools/call" {
		c.underWay[req.ID] = c.order.take(req)
	}
	return nil
}

// linger waits until all requests are answered, for the time lingering at most.
func (c *client) linger(ctx context.Context) {
	c.broken.Store(true)
	for late := time.After(lingering); c.owed.Load() > 0; {
		select {
		case <-c.wake:
		case <-late:
			return
		case <-ctx.Done():
			return
		case <-c.closed:
			return
		}
	}
}

// Write implements [sdk.Connection].
func (c *client) Write(ctx context.Context, msg jsonrpc.Message) error {
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		end := c.underWay[res.ID]
		delete(c.underWay, res.ID) // before the answer is written: once the client has read it, it may use the id again
		c.mu.Unlock()
		if end != nil {
			end()
			defer func() {
				c.owed.Add(-1)
				workspace.Wake(c.wake)
			}()
		}
		if res.Error != nil {
			res.Error = coded(res.Error)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return c.send(text)
}

// coded returns an error of the SDK with the code that JSON-RPC has for it, where the SDK has another or none, and with a message
// that does not repeat all that was sent. Of what the SDK gives no code, and of parameters that are missing, only its words tell.
func coded(err error) *jsonrpc.Error {
	out, message := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}, err.Error()
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if ok {
		out = *e
	}
	if strings.HasSuffix(message, `missing required "params"`) || !ok && strings.Contains(message, "unmarshaling") {
		out.Code = jsonrpc.CodeInvalidParams
	}
	out.Message = paths.OneLine(edits.Fit(message), 1000)
	return &out
}

// send writes a message. It escapes the characters at which some clients end a line; JSON has them only in strings.
func (c *client) send(text []byte) error {
	for _, end := range "\u0085\u2028\u2029" {
		text = bytes.ReplaceAll(text, []byte(string(end)), fmt.Appendf(nil, `\u%04x`, end))
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	if err != nil {
		c.broken.Store(true)
	}
	return err
}

// Close implements [sdk.Connection].
func (c *client) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// line is a line from the client, or the reason why no more lines come. A *jsonrpc.Error concerns this line alone.
type line struct {
	text []byte
	err  error
}

// listen reads lines until the input ends or the connection is closed. It runs in a goroutine
// of its own, since nothing ends a Read.
func (c *client) listen() {
	in := bufio.NewReaderSize(c.in, 64<<10)
	for {
		text, err := readLine(in, framing.MaxLine)
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

// readLine reads a line of at most the given number of bytes, and skips a longer one. The last line may have no line end.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	text, err := framing.Line(in, most)
	length := len(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = in.ReadSlice('\n')
		text, length = nil, length+len(part) // so that its memory can be freed
	}
	switch {
	case err != nil && (length == 0 || !errors.Is(err, io.EOF)):
		return nil, err
	case length > most:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a message of %d bytes; the most is %d", length, most)}
	}
	return text, nil
}
