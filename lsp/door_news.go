package lsp

import (
	"context"
	"time"
)

// methodChanged tells an agent that documents were opened, changed or closed.
const methodChanged = "patchls/changed"

// newsPause is the least time between two of those.
const newsPause = 100 * time.Millisecond

// spawnNews has the agent told of changes until it has left.
func (a *visitor) spawnNews() {
	news := make(chan struct{}, 1)
	stop := a.docs.Listen(news)
	ctx := a.base
	a.spawn(func(context.Context) {
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-news:
			}
			if err := a.back.Notify(ctx, methodChanged, map[string]any{}); err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-a.opts.After(newsPause):
			}
		}
	})
}
