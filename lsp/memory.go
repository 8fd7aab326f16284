package lsp

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// largeDocument is how many bytes a document has that is worth a collection when it is
// closed. By itself Go would not look for another two minutes, and then give back what
// is free little by little.
const largeDocument = 8 << 20

// giveBackAfter lets whatever is still at work with a document come to its end, and
// several that are closed at once be one collection.
const giveBackAfter = time.Second

// memory is that of the process. It is safe for concurrent use.
type memory struct {
	after func(time.Duration) <-chan time.Time
	spawn func(func(context.Context)) // runs a function in the background
	soon  atomic.Bool                 // some is about to be given back
}

// release has the memory of a text of that size, which is not used any more, go back to
// the system soon. It waits for nothing.
func (m *memory) release(size int) {
	if size < largeDocument || !m.soon.CompareAndSwap(false, true) {
		return
	}
	m.spawn(func(ctx context.Context) {
		select {
		case <-m.after(giveBackAfter):
		case <-ctx.Done():
			return
		}
		m.soon.Store(false)
		debug.FreeOSMemory()
	})
}
