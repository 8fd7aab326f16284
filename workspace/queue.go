package workspace

import (
	"context"
	"sync"
)

// Queue hands out turns in the order in which they were asked for, one at a
// time. The zero value is ready; it is safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	waiting []*Turn // the first one is on
}

// Turn is a place in a queue.
type Turn struct {
	q  *Queue
	on chan struct{} // closed when it is this turn's time
}

// Take takes the next place. It never blocks. The turn must be given back with
// Done, waited for or not.
func (q *Queue) Take() *Turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Turn{q, make(chan struct{})}
	q.waiting = append(q.waiting, t)
	if len(q.waiting) == 1 {
		close(t.on)
	}
	return t
}

// Wait blocks until all turns before this one are done, or ctx is.
func (t *Turn) Wait(ctx context.Context) error {
	select {
	case <-t.on:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done gives the turn back. A second call does nothing.
func (t *Turn) Done() {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range q.waiting {
		if w != t {
			continue
		}
		q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
		if i == 0 && len(q.waiting) > 0 {
			close(q.waiting[0].on)
		}
		return
	}
}
