package lsp

import (
	"context"
	"runtime/debug"
	"time"
)

// largeDocument is the size in bytes from which closing a document is worth a garbage collection.
// By itself Go may not collect for two minutes, and then returns free memory little by little.
const largeDocument = 8 << 20

// giveBackAfter lets work on a closed document end first, and makes one collection of several
// that are closed at once.
const giveBackAfter = time.Second

// releaseMemory returns the memory of an unused text of that size to the system soon. It does not wait.
func (s *server) releaseMemory(size int) {
	if size < largeDocument || !s.releasing.CompareAndSwap(false, true) {
		return
	}
	s.spawn(func(ctx context.Context) {
		select {
		case <-s.opts.After(giveBackAfter):
		case <-ctx.Done():
			return
		}
		s.releasing.Store(false)
		debug.FreeOSMemory()
	})
}
