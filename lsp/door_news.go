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
	a.callers.wants(a.caller, news)
	ctx := a.base
	a.spawn(func(context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-news:
			}
			if err := a.back.Notify(ctx, methodChanged, map[string]any{}); err != nil {
				return
			}
		}
	})
}

// cry tells all who want it that documents have changed, until ctx is done.
func (s *server) cry(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.docs.Stirred():
		}
		s.active.Store(time.Now().UnixNano())
		s.callers.tell()
		select {
		case <-ctx.Done():
			return
		case <-s.opts.After(newsPause):
		}
	}
}

// wants has a caller told of changes by a value in news, which is never waited for.
func (cs *callers) wants(c *caller, news chan<- struct{}) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.news = news
}

func (cs *callers) tell() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.all {
		select {
		case c.news <- struct{}{}: // never, where nobody wants it
		default:
		}
	}
}
