package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/lsp/bounds"
)

// Stream reads and writes the messages of a connection. It replaces jsonrpc2's own stream, which takes the memory that a
// header announces before a byte of the message has come, keeps its largest buffer for ever, and ends the connection on a
// message that is no valid request. Stream answers such a message and reads the next one.
type Stream struct {
	rwc io.ReadWriteCloser
	in  *framing.Reader

	most     atomic.Int64 // the most bytes of one message
	finished atomic.Bool  // no more messages are read

	// These are set before the first Read or on its goroutine. All but Trace are called there alone.

	Named string // the name of the bound on the bytes of a message, for errors

	// Hold, if set, counts the bytes of an announced message until release is called. If it fails,
	// the message is passed over and answered with the error.
	Hold func(n int) (release func(), err error)
	// Arriving, if set, is called when a large message begins to arrive, and arrived when the whole message was read.
	Arriving func() (arrived func())
	// Computing, if set, waits until a large message may be decoded. done is called after that.
	Computing func() (done func())
	// Trace is called with each message, from the client or the server, before it is dispatched or
	// sent. The bytes are valid during the call.
	Trace  func(from string, message []byte)
	OnLoss func() // a notification may have been lost
	OnEnd  func() // called once, when no more messages come

	releaseLast func() // releases the message that was read last; nil if none is weighed
	// unanswered is the number of the peer's requests whose answers are not being written yet.
	unanswered atomic.Int64

	writing sync.Mutex
	out     *framing.Writer

	refusals  chan refusal // sent off the reading goroutine
	closeOnce sync.Once
	closed    chan struct{}
}

// NewStream returns a stream whose messages have at most so many bytes. Errors call that bound by the given name.
func NewStream(rwc io.ReadWriteCloser, most int64, named string) *Stream {
	s := &Stream{
		rwc: rwc, in: framing.NewReader(rwc), out: framing.NewWriter(rwc), Named: named,
		refusals: make(chan refusal, 16), closed: make(chan struct{}),
		Trace: func(string, []byte) {},
	}
	s.most.Store(most)
	go s.refuse()
	return s
}

// Read returns the next valid message. Its bytes are valid until the next Read.
func (s *Stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	var msg jsonrpc2.Message
	n, err := int64(0), io.EOF
	if !s.finished.Load() {
		msg, n, err = s.next()
	}
	if err != nil {
		s.release()
		s.OnEnd()
	}
	return msg, n, err
}

// Finish has the next Read end the connection.
func (s *Stream) Finish() { s.finished.Store(true) }

// Bound sets how many bytes one message may have from now on. It is safe for concurrent use.
func (s *Stream) Bound(most int64) { s.most.Store(most) }

func (s *Stream) next() (jsonrpc2.Message, int64, error) {
	for {
		n, err := s.in.Next()
		if err != nil {
			return nil, 0, err
		}
		if most := s.most.Load(); n > most {
			s.reply(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a message of %d bytes was passed over: it is more than %s (%d)", n, s.Named, most))
			if err := s.passOver(); err != nil {
				return nil, 0, err
			}
			continue
		}
		if s.release(); s.Hold != nil {
			var refusal error
			if s.releaseLast, refusal = s.Hold(int(n)); refusal != nil {
				if err := s.passOverRequest(refusal); err != nil {
					return nil, 0, err
				}
				continue
			}
		}
		body, err := s.body(n)
		if err != nil {
			return nil, 0, err
		}
		msg, err := s.decode(body)
		if err == nil {
			if _, asks := msg.(*jsonrpc2.Call); asks {
				s.unanswered.Add(1)
			}
			return msg, n, nil
		}
		if e := refusalOf(body, err); e != nil {
			s.reply(e)
			if e.Code == jsonrpc2.ParseError || bytes.Contains(body, []byte(`"textDocument/did`)) {
				s.OnLoss()
			}
		}
	}
}

// body reads the announced message, which has n bytes.
func (s *Stream) body(n int64) ([]byte, error) {
	if s.Arriving != nil && n > bounds.MinMessageBytes {
		defer s.Arriving()()
	}
	body, err := s.in.Body()
	if err == nil {
		s.Trace("client", body)
	}
	return body, err
}

func (s *Stream) decode(body []byte) (jsonrpc2.Message, error) {
	if s.Computing != nil && len(body) > bounds.MinMessageBytes {
		defer s.Computing()()
	}
	return jsonrpc2.DecodeMessage(body)
}

// release releases the memory held for the message that was read last, unless [Stream.weighed] has handed that over.
func (s *Stream) release() {
	if s.releaseLast != nil {
		s.releaseLast()
	}
	s.releaseLast = nil
}

// weighed returns the function that releases the memory held for the message being dispatched,
// nil if none is held. The caller must call it.
func (s *Stream) weighed() (release func()) {
	release, s.releaseLast = s.releaseLast, nil
	return release
}

// refusalOf returns the answer to a message that is no valid request. It returns nil for a broken
// response: responses are not answered.
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

// Close closes the transport, which ends a pending Read and Write.
func (s *Stream) Close() error {
	var err error
	s.closeOnce.Do(func() {
		close(s.closed)
		err = s.rwc.Close()
	})
	return err
}

// refusal is the answer to a message that is not dispatched.
type refusal struct {
	id  json.RawMessage // nil where there is none, or it is not known
	err error           // a [jsonrpc2.Error]
}

// reply queues an error response without an id. It drops the response if the queue is full:
// reading must not wait for a peer that takes no answers.
func (s *Stream) reply(err *jsonrpc2.Error) {
	select {
	case s.refusals <- refusal{err: err}:
	default:
	}
}

func (s *Stream) refuse() {
	for {
		select {
		case <-s.closed:
			return
		case r := <-s.refusals:
			body, _ := json.Marshal(struct { // an error of strings and numbers always encodes
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Error   error           `json:"error"`
			}{"2.0", r.id, r.err})
			if err := s.write(func(out []byte) []byte { return append(out, body...) }); err != nil {
				return
			}
		}
	}
}

// Write sends a message as one write.
func (s *Stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	n := 0
	err := s.write(func(out []byte) []byte {
		at := len(out)
		out = jsonrpc2.AppendMessage(out, msg)
		n = len(out) - at
		if !bytes.HasPrefix(out[at:], []byte(requestPrefix)) {
			s.unanswered.Add(-1) // before the peer can have the answer, and send its next request
		}
		return out
	})
	return int64(n), err
}

// requestPrefix is how jsonrpc2 begins requests and notifications, and no answers. Their types are its own.
const requestPrefix = `{"jsonrpc":"2.0","method":`

// write writes one message, whose body appendBody appends.
func (s *Stream) write(appendBody func([]byte) []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.out.Write(func(out []byte) []byte {
		at := len(out)
		out = appendBody(out)
		s.Trace("server", out[at:])
		return out
	})
}

// headKept is how many bytes of a message that is passed over are searched for its id.
const headKept = 8 << 10

// passOverRequest passes over the current message, which is longer than headKept, and answers it.
func (s *Stream) passOverRequest(err error) error {
	select {
	case s.refusals <- refusal{idIn(s.in.Peek(headKept)), err}: // a peer that takes no answers is not read from
	case <-s.closed:
	}
	return s.passOver()
}

// passOver passes over the current message, which may have been a notification.
func (s *Stream) passOver() error {
	s.OnLoss()
	return s.in.Skip()
}

// idIn returns the id of the request that begins with head, nil if the id comes later.
func idIn(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil || name == "id" {
			return value
		}
	}
	return nil
}
