package workspace

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/patchls/patchls/workspace/paths"
)

// Queues are the queues of documents, by what [Target.Identity] says. A command
// takes its place in all that it needs at once, so that no two commands can wait
// for each other. The zero value is ready; it is safe for concurrent use.
type Queues struct {
	mu     sync.Mutex
	queues map[paths.Key]*shared
}

// shared is a queue with those who are in it.
type shared struct {
	Queue
	users int
}

// Turns are places in several queues.
type Turns struct {
	qs    *Queues
	keys  []paths.Key
	turns []*Turn
	once  sync.Once
}

// Take takes the next place in the queues of all keys. It never blocks. The turns
// must be given back with Done, waited for or not.
func (qs *Queues) Take(keys ...paths.Key) *Turns {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	return qs.take(slices.Compact(slices.Sorted(slices.Values(keys))))
}

// TakeAll takes the next place in every queue that somebody is in.
func (qs *Queues) TakeAll() *Turns {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	return qs.take(slices.Sorted(maps.Keys(qs.queues)))
}

// take needs the lock; keys are all different.
func (qs *Queues) take(keys []paths.Key) *Turns {
	t := &Turns{qs: qs, keys: keys}
	for _, k := range keys {
		q := qs.queues[k]
		if q == nil {
			q = &shared{}
			if qs.queues == nil {
				qs.queues = map[paths.Key]*shared{}
			}
			qs.queues[k] = q
		}
		q.users++
		t.turns = append(t.turns, q.Take())
	}
	return t
}

// Wait blocks until it is this turn's time in all queues, or ctx is done.
func (t *Turns) Wait(ctx context.Context) error {
	for _, turn := range t.turns {
		if err := turn.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Done gives the turns back. A second call does nothing.
func (t *Turns) Done() {
	t.once.Do(func() {
		t.qs.mu.Lock()
		defer t.qs.mu.Unlock()
		for i, turn := range t.turns {
			turn.Done()
			q := t.qs.queues[t.keys[i]]
			if q.users--; q.users == 0 {
				delete(t.qs.queues, t.keys[i])
			}
		}
	})
}
