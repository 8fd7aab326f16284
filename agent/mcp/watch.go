package mcp

import (
	"context"
	"time"
)

const (
	// settle is the least time between two looks at documents that change all the
	// time, as while somebody types.
	settle = 100 * time.Millisecond
	// again is the time after which a Connect that failed is tried again.
	again = time.Second
)

// watch starts the goroutine that follows the documents, unless it runs already. It is called
// when a client first asks for resources: to follow costs a command for each change.
func (d *documents) watch() {
	d.watched.Do(func() { d.server.background.Go(func() { d.look(d.server.base) }) })
}

// poke has the documents looked at soon.
func (d *documents) poke() {
	select {
	case d.poked <- struct{}{}:
	default: // it is known
	}
}

// look refreshes whenever the editor's documents have changed, until ctx is done. A
// call may have found another editor, and its end is a change too: so the editor
// is asked for each time.
func (d *documents) look(ctx context.Context) {
	for ctx.Err() == nil {
		session, err := d.server.opts.Connect(ctx, "")
		if err == nil {
			err = d.refresh(ctx)
		}
		if err != nil {
			pause(ctx, again)
			continue
		}
		select {
		case _, open := <-session.Editor.Changed():
			if !open {
				d.server.lost(ctx, session.Name)
			}
		case <-d.poked:
		case <-ctx.Done():
		}
		pause(ctx, settle)
	}
}

func pause(ctx context.Context, how time.Duration) {
	select {
	case <-time.After(how):
	case <-ctx.Done():
	}
}
