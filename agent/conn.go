package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/workspace"
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
	// Shared says that several agents that cannot be told apart may send calls as the actor.
	Shared bool `json:"-"`
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
	case <-c.link.ended.Done():
		return nil, notSent(errGone)
	}
	params := struct {
		Command   string `json:"command"`
		Arguments []any  `json:"arguments"`
		Actor     string `json:"actor,omitempty"`
	}{"patchls." + call.Command, []any{cmp.Or[any](call.Arguments, struct{}{})}, call.Actor}
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
	late := time.AfterFunc(c.link.sys.closeWait, c.link.drop)
	defer late.Stop()
	ctx := context.Background()
	if _, err := c.link.call(ctx, "shutdown", nil, nil); err == nil {
		_ = c.link.send(ctx, jsonrpc2.NewNotification("exit", nil)) // the connection ends either way
	}
	c.link.drop()
	<-c.link.ended.Done()
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
	c := &Conn{link: newLink(conn, sys), slots: make(chan struct{}, maxUnderWay), live: Live{Entry: d.Entry}}
	go c.link.read()
	if err := c.greet(ctx, d.Token, f.Client); err != nil {
		c.link.drop()
		<-c.link.ended.Done()
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
			"token": token, "changes": true, "root": info.Root, "exact": info.Exact, "actor": info.Actor, "unseen": info.Unseen, "shared": info.Shared,
		},
	}, nil)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case errors.Is(err, ErrLost), errors.Is(err, ErrNotSent):
		<-c.link.ended.Done() // a write may notice the end before the reader does
		if why := c.link.why; why != nil {
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
	c.live.Active, _ = time.Parse(time.RFC3339Nano, p.Active) // zero if it has none
	return nil
}

// link is the calling end of a JSON-RPC connection. It replaces that of jsonrpc2, which
// returns a call's id only when the call is over, does not report whether the call was
// written, and waits for answers in Close. It uses the messages of jsonrpc2.
type link struct {
	conn net.Conn
	in   *framing.Reader
	out  *framing.Writer
	sys  *system // says how long to wait

	ids     atomic.Int64
	writing chan struct{} // a lock held while writing; a context can end the wait for it

	mu      sync.Mutex
	pending map[int64]chan *jsonrpc2.Response

	changed chan struct{}
	ended   context.Context // done when no more messages come
	end     func()          // ends it
	why     error           // the server's reason, if it gave one; set before ended is done
}

// writeLimit is how long a server may take to read one message. A server that does not read is taken to have ended.
const writeLimit = 10 * time.Second

func newLink(conn net.Conn, sys *system) *link {
	ended, end := context.WithCancel(context.Background())
	return &link{
		conn: conn, in: framing.NewReader(conn), out: framing.NewWriter(conn), sys: sys,
		writing: make(chan struct{}, 1), pending: map[int64]chan *jsonrpc2.Response{},
		changed: make(chan struct{}, 1), ended: ended, end: end,
	}
}

// drop closes the connection, which ends the goroutine that reads.
func (l *link) drop() { _ = l.conn.Close() }

// hangUp closes the connection for writing. What the server has sent by then is still read,
// such as the reason why it closed the connection.
func (l *link) hangUp() {
	var err error
	if half, ok := l.conn.(interface{ CloseWrite() error }); ok { // a pipe has none
		err = half.CloseWrite()
	}
	if errors.Is(err, syscall.ENOTCONN) { // the BSDs return this if the other end has closed
		err = nil
	}
	if err != nil || l.conn.SetReadDeadline(time.Now().Add(l.sys.grace)) != nil {
		l.drop()
	}
}

// read delivers what comes until the connection ends.
func (l *link) read() {
	defer close(l.changed) // only this goroutine sends on it
	defer l.end()
	defer l.drop()
	for {
		body, err := l.in.Read()
		if err != nil {
			return // pending calls learn of this from ended
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			return
		}
		switch m := msg.(type) {
		case *jsonrpc2.Response:
			id, ok := m.ID().Number()
			if !ok {
				// The server could not read a message, and did not say which. One of the pending calls would wait for ever.
				l.why = m.Err()
				return
			}
			if answer := l.take(id); answer != nil {
				answer <- m // the channel has room for the one answer
			}
		case *jsonrpc2.Notification:
			if m.Method() == "patchls/changed" {
				workspace.Wake(l.changed)
			}
		}
		// A server asks an agent nothing.
	}
}

// take returns where the answer to a call goes, once; nil if no call waits for it.
func (l *link) take(id int64) chan *jsonrpc2.Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer := l.pending[id]
	delete(l.pending, id)
	return answer
}

// call sends a request and waits for its answer; see [Conn.Execute] for the errors. sent, if not nil, is called in between.
func (l *link) call(ctx context.Context, method string, params any, sent func()) (json.RawMessage, error) {
	var raw []byte
	if params != nil {
		var err error
		if raw, err = plainjson.Marshal(params); err != nil {
			return nil, notSent(fmt.Errorf("as JSON: %w", err))
		}
	}
	id, answer := l.ids.Add(1), make(chan *jsonrpc2.Response, 1)
	l.mu.Lock()
	l.pending[id] = answer
	l.mu.Unlock()
	defer l.take(id)
	if err := l.send(ctx, jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, jsonrpc2.RawMessage(raw))); err != nil {
		return nil, notSent(err)
	}
	if sent != nil {
		sent()
	}
	stop := ctx.Done()
	var late <-chan time.Time
	for {
		check := time.After(l.sys.check)
		if method == methodAlive || late != nil {
			check = nil
		}
		select {
		case r := <-answer:
			return result(r)
		case <-l.ended.Done():
			return l.last(answer)
		case <-stop: // the answer is still waited for: if the edit was already made, the caller must learn of it
			stop, late = nil, time.After(l.sys.grace)
			l.cancel(ctx, id)
		case <-late:
			return nil, fmt.Errorf("the editor did not answer in time, and whether it made the edit is not known: %w", ctx.Err())
		case <-check:
			l.dropIfStalled(ctx)
		}
	}
}

// methodAlive is no method: a server that runs refuses it at once, whatever else it does.
const methodAlive = "ping"

// dropIfStalled closes the connection if the server does not answer a request for which it has nothing to do: it is
// stopped, or hangs. A command that waits for the user may take long, but its server answers this.
func (l *link) dropIfStalled(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.sys.check)
	defer cancel()
	_, err := l.call(ctx, methodAlive, nil, nil)
	if _, refused := errors.AsType[*jsonrpc2.Error](err); !refused && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		l.drop()
	}
}

// cancel tells the server that the answer to a call is not needed.
func (l *link) cancel(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.sys.grace)
	defer cancel()
	// If this cannot be sent, all answers that came have been read by then.
	_ = l.send(ctx, jsonrpc2.NewNotification("$/cancelRequest", fmt.Appendf(nil, `{"id":%d}`, id)))
}

// last returns the answer that came right before the end, if one did.
func (l *link) last(answer chan *jsonrpc2.Response) (json.RawMessage, error) {
	select {
	case r := <-answer:
		return result(r)
	default:
	}
	if l.why != nil {
		return nil, fmt.Errorf("%w; it said: %s", ErrLost, l.why.Error()) // not as the answer to this call
	}
	return nil, ErrLost
}

func result(r *jsonrpc2.Response) (json.RawMessage, error) {
	return json.RawMessage(r.Result()), r.Err()
}

// send writes a message. After an error the server does not have the whole message, and so cannot act on it. The connection
// is unusable then, unless ctx ended before the write began.
func (l *link) send(ctx context.Context, msg jsonrpc2.Message) error {
	if l.ended.Err() != nil {
		return errGone
	}
	select {
	case l.writing <- struct{}{}:
		defer func() { <-l.writing }()
	case <-l.ended.Done():
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return errGone
	}
	// If this runs late, it shortens the deadline of the next message, which does no
	// harm: a server that reads needs hardly any time.
	stop := context.AfterFunc(ctx, func() { _ = l.conn.SetWriteDeadline(time.Now().Add(l.sys.grace)) })
	defer stop()
	err := l.out.Write(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, msg) })
	if err != nil {
		l.hangUp()
		<-l.ended.Done() // from here on no caller gets this connection
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", errGone, ctx.Err())
		}
		return errGone
	}
	return nil
}

var errGone = errors.New("the connection has ended")
