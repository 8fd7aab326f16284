package rpc

import (
	"context"
	"sync"
)

// Refresh sends a client one request to refresh at a time, since an editor may take
// long to answer. It is safe for concurrent use.
type Refresh struct {
	mu          sync.Mutex
	busy, again bool
}

// Ask sends the request, or has it sent again once it is answered.
func (r *Refresh) Ask(c *Client, method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		r.again = true
		return
	}
	r.busy = true
	c.Go(func(ctx context.Context) {
		for more := true; more; {
			if _, err := c.Conn.Call(ctx, method, nil, nil); err != nil {
				c.Log.Debug("refresh", "method", method, "error", err)
			}
			r.mu.Lock()
			more = r.again && ctx.Err() == nil
			r.busy, r.again = more, false
			r.mu.Unlock()
		}
	})
}
