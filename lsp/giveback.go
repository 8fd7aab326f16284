package lsp

import (
	"context"
	"runtime/debug"
	"time"
)

// largeDocument is how many bytes a document has that is worth a collection when it is
// closed. By itself Go would not look for another two minutes, and then give back what
// is free little by little.
const largeDocument = 8 << 20

// giveBackAfter lets whatever is still at work with a document come to its end, and
// several that are closed at once be one collection.
const giveBackAfter = time.Second

// releaseMemory has the memory of a document of that size, which was closed, go back to the
// system soon. It waits for nothing.
func (s *server) releaseMemory(size int) {
	if size < largeDocument || !s.givingBack.CompareAndSwap(false, true) {
		return
	}
	s.spawn(func(ctx context.Context) {
		select {
		case <-s.opts.After(giveBackAfter):
		case <-ctx.Done():
			return
		}
		s.givingBack.Store(false)
		debug.FreeOSMemory()
	})
}
