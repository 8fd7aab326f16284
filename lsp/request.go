package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
)

// reply is what the client has answered.
type reply struct {
	raw jsonrpc2.RawMessage
	err error
}

// request sends the client a request. Its answer, or why there is none, comes by the
// channel. That is closed then, and no part of the request is sent any more.
func (s *server) request(ctx context.Context, method string, params any) <-chan reply {
	replies := make(chan reply, 1)
	s.spawn(func(context.Context) {
		defer close(replies)
		var r reply
		_, r.err = s.conn.Call(ctx, method, params, &r.raw)
		replies <- r
	})
	return replies
}

// await returns the answer to a request. It ends with ctx also where the client takes
// nothing, so that the request cannot even be written.
func await(ctx context.Context, replies <-chan reply) (jsonrpc2.RawMessage, error) {
	select {
	case r := <-replies:
		return r.raw, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// call sends the client a request and returns the answer.
func (s *server) call(ctx context.Context, method string, params any) (jsonrpc2.RawMessage, error) {
	return await(ctx, s.request(ctx, method, params))
}

// ask is call that decodes the answer.
func (s *server) ask(ctx context.Context, method string, params, answer any) error {
	raw, err := s.call(ctx, method, params)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, answer)
}
