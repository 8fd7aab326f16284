package lsp

import (
	"bytes"
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
)

// refusal is the answer to a message of which nothing is done.
type refusal struct {
	id  json.RawMessage // nil where there is none, or it is not known
	err error           // a [jsonrpc2.Error]
}

// reply has an answer without an id sent. If the peer takes none, it gets none:
// reading must not wait for it.
func (s *stream) reply(err *jsonrpc2.Error) {
	select {
	case s.refusals <- refusal{err: err}:
	default:
	}
}

func (s *stream) refuse() {
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
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	n := 0
	err := s.write(func(out []byte) []byte {
		at := len(out)
		out = jsonrpc2.AppendMessage(out, msg)
		n = len(out) - at
		if !bytes.HasPrefix(out[at:], []byte(requestPrefix)) {
			s.unanswered.Add(-1) // before the peer can have it, and send the next one
		}
		return out
	})
	return int64(n), err
}

// requestPrefix is how jsonrpc2 begins requests and notifications, and no answers.
const requestPrefix = `{"jsonrpc":"2.0","method":`

// write writes the message whose body is appended by a function.
func (s *stream) write(appendBody func([]byte) []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.out.Write(appendBody)
}
