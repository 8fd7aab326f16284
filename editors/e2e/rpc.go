//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// rpc is a connection to Neovim's socket. It asks one thing at a time.
type rpc struct {
	mu   sync.Mutex
	conn net.Conn
	from *bufio.Reader
	last int
}

// rpcTime is more than Neovim takes for anything, unless it asks the user something.
const rpcTime = 10 * time.Second

func dialRPC(socket string) (*rpc, error) {
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "unix", socket)
	if err != nil {
		return nil, err
	}
	return &rpc{conn: conn, from: bufio.NewReader(conn)}, nil
}

// call calls a function of Neovim's API.
func (c *rpc) call(function string, arguments ...any) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	if err := c.conn.SetDeadline(time.Now().Add(rpcTime)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(pack(nil, []any{0, c.last, function, arguments})); err != nil {
		return nil, err
	}
	for {
		v, err := unpack(c.from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", function, err)
		}
		message, ok := v.([]any)
		if !ok || len(message) != 4 || message[0] != 1 || message[1] != c.last {
			continue // a notification, or an answer that is not waited for any more
		}
		if message[2] != nil {
			return nil, fmt.Errorf("%s: %w", function, errorOf(message[2]))
		}
		return message[3], nil
	}
}

// errorOf reads Neovim's errors, which are a type and a message.
func errorOf(v any) error {
	if parts, ok := v.([]any); ok && len(parts) == 2 {
		return errors.New(fmt.Sprint(parts[1]))
	}
	return errors.New(fmt.Sprint(v))
}
