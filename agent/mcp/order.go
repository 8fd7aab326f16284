package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/workspace"
)

// order has the calls of tools reach their editors as they came: a model that asks for
// several at once counts lines by those that go before. The SDK has a goroutine for each
// call, and these start in any order. So a call takes its turn where it is read, and gives
// it back when the editor has it, not when it is done. Nothing else waits for a turn: a
// call can be cancelled while it does.
type order struct {
	queue workspace.Queue
	turns sync.Map // *workspace.Turn by *sdk.RequestExtra, which the SDK hands through
}

// take gives a call its turn, which ends with the answer, whoever gives that.
func (o *order) take(req *jsonrpc.Request) (answered func()) {
	extra, turn := &sdk.RequestExtra{}, o.queue.Take()
	req.Extra = extra
	o.turns.Store(extra, turn)
	return func() {
		o.turns.Delete(extra)
		turn.Done()
	}
}

// turn returns the turn of a call.
func (o *order) turn(extra *sdk.RequestExtra) *workspace.Turn {
	known, _ := o.turns.Load(extra)
	if turn, ok := known.(*workspace.Turn); ok {
		return turn
	}
	return o.queue.Take() // another transport has read it
}

// ordered is a transport whose connection gives calls their turns.
type ordered struct {
	sdk.Transport
	order *order
}

// Connect implements [sdk.Transport].
func (t ordered) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return &client{Connection: conn, order: t.order, answered: map[jsonrpc.ID]func(){}}, err
}

// client is the connection to a client.
type client struct {
	sdk.Connection
	order *order

	mu       sync.Mutex
	answered map[jsonrpc.ID]func() // by the id of the call
}

// Read implements [sdk.Connection].
func (c *client) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil && req.Method == "tools/call" {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.answered[req.ID] == nil { // else the SDK refuses it
			c.answered[req.ID] = c.order.take(req)
		}
	}
	return msg, err
}

// Write implements [sdk.Connection].
func (c *client) Write(ctx context.Context, msg jsonrpc.Message) error {
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		if answered := c.answered[res.ID]; answered != nil {
			answered()
			delete(c.answered, res.ID)
		}
		c.mu.Unlock()
	}
	return c.Connection.Write(ctx, msg)
}
