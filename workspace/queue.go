package workspace

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/patchls/patchls/workspace/paths"
)

// Queue hands out turns in the order in which they were asked for, one at a
// time. The zero value is ready to use. A Queue is safe for concurrent use.
type Queue struct{ one Queues }

// Take takes the next place. It never blocks. The caller must give the turn back
// with Done, even if it has not waited for the turn.
func (q *Queue) Take() *Turn { return q.one.Take("") }

// Queues are the queues of documents, by [paths.Target.Identity]. A command takes its place in all queues that it needs at
// once, so that no two commands can wait for each other. The zero value is ready to use. Queues is safe for concurrent use.
type Queues struct {
	mu     sync.Mutex
	queues map[paths.Key][]*Turn // no queue is empty; the first turn of each is served
}

// Turn is a place in one or several queues.
type Turn struct {
	of     *Queues
	keys   []paths.Key   // of the queues that the turn is in, all different
	behind int           // in how many of these queues the turn is not the first
	on     chan struct{} // closed when the turn is the first in all of them
}

// Take is [Queue.Take] for the queues of all keys.
func (qs *Queues) Take(keys ...paths.Key) *Turn {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	return qs.take(slices.Compact(slices.Sorted(slices.Values(keys))))
}

// TakeAll takes the next place in every queue that is not empty.
func (qs *Queues) TakeAll() *Turn {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	return qs.take(slices.Collect(maps.Keys(qs.queues)))
}

// take is [Queues.Take] for keys that are all different. It needs the lock.
func (qs *Queues) take(keys []paths.Key) *Turn {
	if qs.queues == nil {
		qs.queues = map[paths.Key][]*Turn{}
	}
	t := &Turn{of: qs, keys: keys, on: make(chan struct{})}
	for _, k := range keys {
		if len(qs.queues[k]) > 0 {
			t.behind++
		}
		qs.queues[k] = append(qs.queues[k], t)
	}
	t.goOn()
	return t
}

func (t *Turn) goOn() {
	if t.behind == 0 {
		close(t.on)
	}
}

// Wait blocks until all turns before this one in its queues are done, or ctx is.
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
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	for _, k := range t.keys {
		q := t.of.queues[k]
		i := slices.Index(q, t)
		q = slices.Delete(q, i, i+1)
		t.of.queues[k] = q
		switch {
		case len(q) == 0:
			delete(t.of.queues, k)
		case i == 0:
			q[0].behind--
			q[0].goOn()
		}
	}
	t.keys = nil
}
