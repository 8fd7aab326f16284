package mcp

import (
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

// take gives a call its turn, which ends with the answer.
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
