package mcp

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/workspace"
)

// order makes tool calls reach their editors in the order in which they came: a model that sends several at once counts
// lines as the earlier calls leave them. The SDK starts a goroutine for each call, in any order. So a call takes its turn
// when it is read, and ends the turn when the editor has the call, not when the call is done. No other message waits for a
// turn: a call can be cancelled while it waits.
type order struct {
	queue workspace.Queue
	turns sync.Map // *workspace.Turn by *sdk.RequestExtra, which the SDK passes on
}

// take gives a call its turn. The returned function ends the turn when the call is answered.
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
