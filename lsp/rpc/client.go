package rpc

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/lsp/host"
)

// Client sends requests and notifications to the other end of a connection. It is safe for concurrent use.
type Client struct {
	*host.Host
	Conn jsonrpc2.Conn
}

// Reply is what the client has answered.
type Reply struct {
	Raw jsonrpc2.RawMessage
	Err error
}

// Request sends the client a request. The channel receives the answer, or why there is none, and
// is then closed. After that, no part of the request is sent.
func (c *Client) Request(ctx context.Context, method string, params any) <-chan Reply {
	replies := make(chan Reply, 1)
	c.Go(func(context.Context) {
		defer close(replies)
		var r Reply
		_, r.Err = c.Conn.Call(ctx, method, params, &r.Raw)
		replies <- r
	})
	return replies
}

// Await returns the answer to a request. It ends with ctx even if the client reads nothing, so
// that the request cannot be written.
func Await(ctx context.Context, replies <-chan Reply) (jsonrpc2.RawMessage, error) {
	select {
	case r := <-replies:
		return r.Raw, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Call sends the client a request, and decodes the answer into result.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	raw, err := Await(ctx, c.Request(ctx, method, params))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// Notify sends the client a notification. It only logs an error, as after the client has left.
func (c *Client) Notify(method string, params any) {
	if err := c.Conn.Notify(c.Base, method, params); err != nil {
		c.Log.Debug("notify", "method", method, "error", err)
	}
}
