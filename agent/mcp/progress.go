package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
)

// tellProgress returns what takes the progress of a call and tells the client, if
// it asked for that, and ended, after which nothing more is told: the answer must
// come last. The command never waits for the client: what it cannot take in time is
// left out, and progress only grows.
func tellProgress(ctx context.Context, req *sdk.CallToolRequest) (told func(agent.Progress), ended func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	var over bool
	newest := make(chan agent.Progress, 1)
	told = func(p agent.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		select {
		case <-newest:
		default:
		}
		newest <- p // there is room: nobody else puts anything in
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		last := -1
		for p := range newest {
			if p.Percentage <= last {
				continue
			}
			last = p.Percentage
			// What becomes of it never matters to the call.
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Message: p.Message, Progress: float64(p.Percentage), Total: 100,
			})
		}
	})
	return told, func() {
		mu.Lock()
		over = true
		close(newest)
		mu.Unlock()
		sender.Wait()
	}
}
