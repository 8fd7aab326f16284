package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Execute runs a command of the server with args as its one argument (none if
// args is nil) and returns the result as it came. The error is a
// *jsonrpc2.Error when the server said no, wraps [ErrServerGone] when the
// connection ended, and is ctx's when that ended first; the server is then sent
// $/cancelRequest.
func (e *Editor) Execute(ctx context.Context, command string, args any) (json.RawMessage, error) {
	p := struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments,omitempty"`
	}{Command: command}
	if args != nil {
		raw, err := codec{}.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		p.Arguments = []json.RawMessage{raw}
	}
	var result json.RawMessage
	err := e.Call(ctx, "workspace/executeCommand", p, &result)
	return result, err
}

// Call sends any request and decodes the answer into result, which may be nil. Both are
// coded by encoding/json, which does not know the unions of the protocol module's types.
// Errors are as for [Editor.Execute].
func (e *Editor) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sent, err := codec{}.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	e.habits.Calling(method, sent)
	// On a goroutine of its own, since a server that does not read blocks the
	// write, where ctx does not reach. It ends at the latest with the pipe.
	answer := make(chan error, 1)
	var got json.RawMessage
	go func() {
		id, err := e.conn.Call(ctx, method, json.RawMessage(sent), &got)
		if n, ok := id.Number(); ok && err != nil && errors.Is(err, ctx.Err()) {
			_ = e.Notify(context.WithoutCancel(ctx), "$/cancelRequest", map[string]int64{"id": n})
		}
		e.published()
		answer <- err
	}()
	select {
	case err = <-answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil {
		return e.callError(ctx, method, err)
	}
	if result == nil {
		return nil
	}
	if err := (codec{}).Unmarshal(got, result); err != nil {
		return fmt.Errorf("%s: the result: %w", method, err)
	}
	return nil
}

// published waits until a change that is under way is in its buffer. What the
// server answers may rest on a didChange that it has read already, and the caller
// must not find the text of before.
func (e *Editor) published() {
	e.mu.Lock()
	e.mu.Unlock() //nolint:staticcheck,gocritic // to have had the lock is all that is wanted
}

// callError sorts out what a call came to. What neither the server nor ctx said
// is the end of the connection, of which jsonrpc2 does not always tell the pipe.
func (e *Editor) callError(ctx context.Context, method string, err error) error {
	var said *jsonrpc2.Error
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ctx.Err()
	case errors.As(err, &said) && said != jsonrpc2.ErrParse && said != jsonrpc2.ErrInvalidRequest:
		return said // those two are what the connection died of
	}
	_ = e.pipe.Close()
	return fmt.Errorf("%s: %w (%s)", method, ErrServerGone, err.Error())
}

// Notify sends any notification. The error wraps [ErrServerGone] when the
// connection has ended. ctx does not interrupt a write that a server does not
// read; Kill does.
func (e *Editor) Notify(ctx context.Context, method string, params any) error {
	err := e.conn.Notify(ctx, method, params)
	if err != nil && e.base.Err() != nil {
		return fmt.Errorf("%s: %w", method, ErrServerGone)
	}
	return err
}
