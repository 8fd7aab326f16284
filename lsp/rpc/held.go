package rpc

import (
	"sync"

	"github.com/patchls/patchls/lsp/bounds"
)

// Held counts the bytes of requests that are not answered, and of the edits that questions
// are about: numbers of those alone let a few large ones take all memory. It is shared by
// all connections, and safe for concurrent use.
type Held struct {
	Freed func(n int) // is told what is not held any more

	mu    sync.Mutex
	bytes int64
}

// Hold counts n bytes until release is called. It is not ok where more than most would be
// held; what is held alone may be of any size, and what is small does not count: another
// one's large texts must not shut the user's editor out.
func (h *Held) Hold(n int, most int64) (release func(), ok bool) {
	if n <= bounds.MinMessageBytes {
		return func() {}, true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bytes > 0 && h.bytes+int64(n) > most {
		return nil, false
	}
	h.bytes += int64(n)
	return func() {
		h.mu.Lock()
		h.bytes -= int64(n)
		h.mu.Unlock()
		h.Freed(n)
	}, true
}
