package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxHeaderBytes bounds the header of one message.
const maxHeaderBytes = 8 << 10

// keepBuffer is how much of a read buffer outlives its message.
const keepBuffer = 1 << 20

// errHeader means that the boundaries of messages are lost.
var errHeader = errors.New("malformed message header")

// stream frames messages as LSP's base protocol does. It stands in for
// jsonrpc2's own stream, which takes memory for what a header announces before
// a byte of it came, keeps its largest buffer for ever, and ends the connection
// on a message that is no valid request. Here such a message is answered, and
// the next one read.
type stream struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader
	max int64 // bytes of one message
	buf []byte

	writing sync.Mutex
	out     []byte

	lost  func() // a notification may have been lost; called on the reading goroutine
	ended func() // nothing comes any more; the same, once

	refusals  chan *jsonrpc2.Error // answers without an id, sent off the reading goroutine
	closeOnce sync.Once
	closed    chan struct{}
}

func newStream(rwc io.ReadWriteCloser, maxMessage int64, lost, ended func()) *stream {
	s := &stream{
		rwc: rwc, in: bufio.NewReaderSize(rwc, 64<<10), max: maxMessage, lost: lost, ended: ended,
		refusals: make(chan *jsonrpc2.Error, 16), closed: make(chan struct{}),
	}
	go s.refuse()
	return s
}

// Read returns the next message that is one. Its bytes are valid until the next
// Read.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	msg, n, err := s.next()
	if err != nil {
		s.ended()
	}
	return msg, n, err
}

func (s *stream) next() (jsonrpc2.Message, int64, error) {
	for {
		n, err := s.readHeader()
		if err != nil {
			return nil, 0, err
		}
		if n > s.max {
			s.reply(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a message of %d bytes exceeds the bound of %d bytes", n, s.max))
			s.lost()
			if _, err := io.CopyN(io.Discard, s.in, n); err != nil {
				return nil, 0, unexpected(err)
			}
			continue
		}
		body, err := s.readBody(int(n))
		if err != nil {
			return nil, 0, unexpected(err)
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err == nil {
			return msg, n, nil
		}
		if refusal := refusalOf(body, err); refusal != nil {
			s.reply(refusal)
			if refusal.Code == jsonrpc2.ParseError || bytes.Contains(body, []byte(`"textDocument/did`)) {
				s.lost()
			}
		}
	}
}

// refusalOf says what is wrong with a message that is no request. A broken
// response gets no answer: answers are not answered.
func refusalOf(body []byte, cause error) *jsonrpc2.Error {
	if !json.Valid(body) {
		return jsonrpc2.NewError(jsonrpc2.ParseError, "the message is not JSON")
	}
	var request struct{ Method json.RawMessage }
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "a batch is not part of LSP")
	}
	if err := json.Unmarshal(body, &request); err == nil && request.Method == nil {
		return nil
	}
	return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the message is not a JSON-RPC 2.0 request: %v", cause)
}

// readHeader reads a header and returns the length of the body.
func (s *stream) readHeader() (int64, error) {
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

// readBody reads n bytes, taking memory as they come.
func (s *stream) readBody(n int) ([]byte, error) {
	if cap(s.buf) > keepBuffer {
		s.buf = nil
	}
	buf := s.buf[:0]
	for len(buf) < n {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		if len(buf) == 0 && cap(buf) < min(n, keepBuffer) {
			buf = make([]byte, 0, min(n, keepBuffer))
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

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// reply has an answer without an id sent. If the peer takes none, it gets none:
// reading must not wait for it.
func (s *stream) reply(refusal *jsonrpc2.Error) {
	select {
	case s.refusals <- refusal:
	default:
	}
}

func (s *stream) refuse() {
	for {
		select {
		case <-s.closed:
			return
		case e := <-s.refusals:
			body, _ := json.Marshal(struct { // an error of strings and numbers always encodes
				Version string          `json:"jsonrpc"`
				ID      *int            `json:"id"`
				Error   *jsonrpc2.Error `json:"error"`
			}{Version: "2.0", Error: e})
			if err := s.write(func(out []byte) []byte { return append(out, body...) }); err != nil {
				return
			}
		}
	}
}

// Write sends a message as one write.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	n := 0
	err := s.write(func(out []byte) []byte {
		at := len(out)
		out = jsonrpc2.AppendMessage(out, msg)
		n = len(out) - at
		return out
	})
	return int64(n), err
}

// headerSpace is room for "Content-Length: ", 20 digits and two line ends.
const headerSpace = 40

// write frames what body appends. The body's length is known only after it, so
// the header is laid right before it into space that was left.
func (s *stream) write(body func([]byte) []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if cap(s.out) > keepBuffer {
		s.out = nil
	}
	var space [headerSpace]byte
	s.out = body(append(s.out[:0], space[:]...))
	header := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(s.out)-headerSpace)
	frame := s.out[headerSpace-len(header):]
	copy(frame, header)
	_, err := s.rwc.Write(frame)
	return err
}

// Close closes the transport, which ends a Read and a Write that wait.
func (s *stream) Close() error {
	var err error
	s.closeOnce.Do(func() {
		close(s.closed)
		err = s.rwc.Close()
	})
	return err
}
