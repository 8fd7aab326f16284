package headless

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Close ends the session: shutdown, exit, and the pipe is closed. Buffers that
// are not saved are not saved. It returns within twice Options.CloseTimeout
// whatever the server does, and is idempotent: every call returns the first
// one's error. The error is nil if the server answered, or if the editor was
// killed before; it wraps [ErrServerGone] if the server went away first.
func (e *Editor) Close() error {
	e.closeOnce.Do(func() { e.closeErr = e.shutdown() })
	return e.closeErr
}

// Kill drops the connection without a word, as an editor does that crashes. It
// does not wait; a Close after it does.
func (e *Editor) Kill() {
	e.killed.Store(true)
	_ = e.pipe.Close()
}

func (e *Editor) shutdown() error {
	// Not of e.base: a server may leave as soon as it has answered, and that it did is
	// known a little later. A call ends with the connection by itself.
	ctx, cancel := context.WithTimeout(context.Background(), e.opts.CloseTimeout)
	defer cancel()
	said := make(chan error, 1)
	go func() { said <- e.goodbye(ctx) }()

	// The select is needed: a server that does not read blocks the write, and
	// no context reaches it there. Closing the pipe does.
	var err error
	select {
	case err = <-said:
	case <-ctx.Done():
		err = ctx.Err()
	}
	gone := e.base.Err() != nil && err != nil
	_ = e.pipe.Close()

	timer := time.NewTimer(e.opts.CloseTimeout)
	defer timer.Stop()
	select {
	case <-e.conn.Done():
	case <-timer.C: // an ApplyEditFunc does not heed its context
	}
	switch {
	case e.killed.Load() || err == nil:
		return nil
	case gone:
		return fmt.Errorf("shutdown: %w", ErrServerGone)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("shutdown: not done within %v", e.opts.CloseTimeout)
	}
	return fmt.Errorf("shutdown: %w", err)
}

func (e *Editor) goodbye(ctx context.Context) error {
	if err := e.Call(ctx, "shutdown", nil, nil); err != nil {
		return err
	}
	// A server may leave as soon as it has answered: then exit finds nobody.
	_ = e.Notify(ctx, "exit", nil)
	return nil
}
