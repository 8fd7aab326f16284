package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// ErrLost says that the connection to the editor ended before an answer came. Whether the
// editor has made the edit is not known.
var ErrLost = errors.New("the editor is gone, and whether it made the edit is not known")

// maxUnderWay is how many requests of one agent a server takes at once; it refuses more.
const maxUnderWay = 64

// ClientInfo is what an agent calls itself.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Root is the folder where the agent runs, an absolute path: relative paths of its
	// commands are looked for there before the workspace folders. It may be "".
	Root string `json:"-"`
	// Exact says that the names in diffs of git are counted from Root, too, and not from the top of its work tree.
	Exact bool `json:"-"`
	// Actor names who sees and edits texts, so that what it was shown over other connections counts, too. With ""
	// each connection is an actor of its own.
	Actor string `json:"-"`
	// Unseen says that the answers to edits are not read, so the lines in them do not count as shown.
	Unseen bool `json:"-"`
}

// Live is an editor that has answered.
type Live struct {
	Entry
	// Active is the time of the last change of a text in it, by the user or an agent; zero if there was none.
	Active time.Time `json:"active"`
	// Saves reports whether the command save works there, and Edits whether any edit does.
	Saves bool `json:"saves"`
	Edits bool `json:"edits"`
	// Server is the version of the patchls that the editor has started.
	Server string `json:"server"`
}

// Conn is an agent's connection to a live editor. It ends when either side closes it.
type Conn struct {
	link  *link
	slots chan struct{} // taken by the commands in flight

	mu   sync.Mutex
	live Live // only its roots change

	// edited is 0, or greater the later this agent has edited over the connection.
	edited atomic.Int64

	closeWait time.Duration
}

// editCount counts the edits of this process, over all connections.
var editCount atomic.Int64

var _ Editor = (*Conn)(nil)

// Live returns what the editor said of itself when the connection was made, but its latest known roots.
func (c *Conn) Live() Live {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// Changed returns a channel that gets a value some time after documents were opened, changed or
// closed; several changes may be one value. The channel is closed when the connection ends.
func (c *Conn) Changed() <-chan struct{} { return c.link.changed }

// Execute implements [Editor]. When ctx ends, Execute cancels the command, and waits for the server's answer for up to 3 s
// more, since an edit may have been made: if an answer comes, Execute returns it. For a command that the server gave up, the
// error is a *jsonrpc2.Error with code -32800. If the connection ends while the command is in flight, the error is
// [ErrLost].
//
// If as many commands are in flight as the server takes, Execute waits for one to be answered.
func (c *Conn) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, notSent(err)
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, notSent(ctx.Err())
	case <-c.link.done:
		return nil, notSent(errGone)
	}
	args := call.Arguments
	if args == nil {
		args = struct{}{}
	}
	params := struct {
		Command   string `json:"command"`
		Arguments []any  `json:"arguments"`
		Actor     string `json:"actor,omitempty"`
	}{"patchls." + call.Command, []any{args}, call.Actor}
	raw, err := c.link.call(ctx, "workspace/executeCommand", params, call.OnSend)
	var made struct {
		EditID string `json:"edit_id"`
	}
	if err == nil && json.Unmarshal(raw, &made) == nil && made.EditID != "" {
		c.edited.Store(editCount.Add(1))
	}
	return raw, err
}

// Close shuts the connection down, within a second if the server does not answer. Commands in flight get [ErrLost] if their
// answers do not come before that. Close always returns nil, and may be called more than once.
func (c *Conn) Close() error {
	late := time.AfterFunc(c.closeWait, c.link.drop)
	defer late.Stop()
	ctx := context.Background()
	if _, err := c.link.call(ctx, "shutdown", nil, nil); err == nil {
		_ = c.link.send(ctx, jsonrpc2.NewNotification("exit", nil)) // the connection ends either way
	}
	c.link.drop()
	<-c.link.done
	return nil
}

// dial makes a new connection to an editor. It reads and checks the entry's file again, and does
// not send the token to a socket on which another user listens.
func (f *Finder) dial(ctx context.Context, e Entry) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.Timeout, LookTime))
	defer cancel()
	sys := f.sys.or()
	d, err := sys.read(e.file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.file, err)
	}
	conn, err := dial(ctx, d.Socket)
	if err != nil {
		return nil, err
	}
	if err := sys.checkPeer(conn); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%s: %w", d.Socket, err)
	}
	c := &Conn{
		link: newLink(conn, sys.grace, sys.check), slots: make(chan struct{}, maxUnderWay), live: Live{Entry: d.Entry},
		closeWait: sys.closeWait,
	}
	go c.link.read()
	if err := c.greet(ctx, d.Token, f.Client); err != nil {
		c.link.drop()
		<-c.link.done
		return nil, fmt.Errorf("%s: %w", d.Socket, err)
	}
	return c, nil
}

// greet does the handshake. It drops the connection when ctx is done.
func (c *Conn) greet(ctx context.Context, token string, info ClientInfo) error {
	stop := context.AfterFunc(ctx, c.link.drop) // there is nothing to be cancelled
	defer stop()
	answer, err := c.link.call(ctx, "initialize", map[string]any{
		"clientInfo": info, "capabilities": struct{}{},
		"initializationOptions": map[string]any{
			"token": token, "changes": true, "root": info.Root, "exact": info.Exact, "actor": info.Actor, "unseen": info.Unseen,
		},
	}, nil)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case errors.Is(err, ErrLost), errors.Is(err, ErrNotSent):
		if why := c.link.reason(); why != nil {
			return fmt.Errorf("the editor closed the connection; it said: %w", why)
		}
		return errors.New("the editor closed the connection")
	case err != nil:
		return err
	}
	var said struct {
		ServerInfo   struct{ Version string } `json:"serverInfo"`
		Capabilities struct {
			Experimental struct {
				Patchls *struct {
					Client struct{ Name, Version string } `json:"client"`
					Active string                         `json:"active"`
					Saves  bool                           `json:"saves"`
					Edits  *bool                          `json:"edits"` // of an older server nil
				} `json:"patchls"`
			} `json:"experimental"`
		} `json:"capabilities"`
	}
	if !stop() {
		return ctx.Err() // the connection is dropped, or about to be
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return fmt.Errorf("the answer to initialize: %w", err)
	}
	p := said.Capabilities.Experimental.Patchls
	if p == nil {
		return errors.New("what listens there is not patchls")
	}
	c.live.Name, c.live.Version, c.live.Saves = p.Client.Name, p.Client.Version, p.Saves
	c.live.Server, c.live.Edits = said.ServerInfo.Version, p.Edits == nil || *p.Edits
	if active, err := time.Parse(time.RFC3339Nano, p.Active); err == nil {
		c.live.Active = active // else it has none
	}
	return nil
}
