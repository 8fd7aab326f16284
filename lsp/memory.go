package lsp

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// largeDocument is the size in bytes from which closing a document is worth a garbage collection.
// By itself Go may not collect for two minutes, and then returns free memory little by little.
const largeDocument = 8 << 20

// giveBackAfter lets work on a closed document end first, and makes one collection of several
// that are closed at once.
const giveBackAfter = time.Second

// memory returns the process's memory to the system. It is safe for concurrent use.
type memory struct {
	after func(time.Duration) <-chan time.Time
	spawn func(func(context.Context)) // runs a function in the background
	soon  atomic.Bool                 // a collection is about to run
}

// release returns the memory of an unused text of that size to the system soon. It does not wait.
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
