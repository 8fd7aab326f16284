package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/plainjson"
)

// ErrLost says that the editor was gone before it answered. Whether it has made the
// edit is not known.
var ErrLost = errors.New("the editor is gone, and whether it made the edit is not known")

// maxUnderWay is how many requests of one agent a server takes at once; it refuses more.
const maxUnderWay = 64

// Conn is an agent's connection to a live editor. It ends when either side closes it.
type Conn struct {
	link  *link
	seats chan struct{} // taken by the commands that are under way

	mu   sync.Mutex
	live Live // of which only the roots change

	closeWait time.Duration
	closeOnce sync.Once
}

var _ Editor = (*Conn)(nil)

// Live returns what the editor said of itself when the connection was made.
func (c *Conn) Live() Live {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

func (c *Conn) setRoots(roots []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live.Roots = roots
}

// isGone reports whether the connection has ended.
func (c *Conn) isGone() bool {
	select {
	case <-c.link.gone:
		return true
	default:
		return false
	}
}

// Changed implements [Editor].
func (c *Conn) Changed() <-chan struct{} { return c.link.changed }

// Execute implements [Editor]. When ctx ends, the server is told, and its answer is
// still waited for up to 3 s, since an edit may have been made: an answer that comes is
// what Execute returns. A command that the server did give up is a *jsonrpc2.Error of
// code -32800. If the connection ends while the command is under way, the error is
// [ErrLost].
//
// A command beyond those that the server takes at once waits until one is answered.
func (c *Conn) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, &notSentError{err}
	}
	select {
	case c.seats <- struct{}{}:
		defer func() { <-c.seats }()
	case <-ctx.Done():
		return nil, &notSentError{ctx.Err()}
	case <-c.link.gone:
		return nil, &notSentError{errGone}
	}
	args := call.Arguments
	if args == nil {
		args = struct{}{}
	}
	params := struct {
		Command   string `json:"command"`
		Arguments []any  `json:"arguments"`
	}{Command: "patchls." + call.Command, Arguments: []any{args}}
	return c.link.call(ctx, "workspace/executeCommand", params, call.Sent)
}

// Close says goodbye and ends the connection, within a second if the server does not
// answer. Commands that are under way get [ErrLost] if their answers do not come
// before. It always returns nil, also the second time.
func (c *Conn) Close() error {
	c.closeOnce.Do(func() {
		late := time.AfterFunc(c.closeWait, c.link.drop)
		defer late.Stop()
		ctx := context.Background()
		if _, err := c.link.call(ctx, "shutdown", nil, nil); err == nil {
			_ = c.link.send(ctx, jsonrpc2.NewNotification("exit", nil)) // the connection ends either way
		}
		c.link.drop()
	})
	<-c.link.gone
	return nil
}

// notSentError is an ErrNotSent with its cause.
type notSentError struct{ cause error }

func (e *notSentError) Error() string        { return "the command was not sent: " + e.cause.Error() }
func (e *notSentError) Is(target error) bool { return target == ErrNotSent }
func (e *notSentError) Unwrap() error        { return e.cause }

// encode returns the JSON of the parameters of a command, none of nil.
func encode(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := plainjson.Marshal(v)
	if err != nil {
		return nil, &notSentError{fmt.Errorf("as JSON: %w", err)}
	}
	return raw, nil
}
