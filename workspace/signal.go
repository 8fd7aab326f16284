package workspace

import (
	"slices"
	"sync"
)

// Signal tells whoever listens that something has happened. The zero value is ready; it is
// safe for concurrent use.
type Signal struct {
	mu        sync.Mutex
	listeners []chan<- struct{}
}

// Listen has heard get a value each time, until stop is called. Nobody waits for heard, so that
// should have room for one.
func (s *Signal) Listen(heard chan<- struct{}) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, heard)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.listeners, heard); i >= 0 {
			s.listeners = slices.Delete(s.listeners, i, i+1)
		}
	}
}

// send tells all who listen.
func (s *Signal) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, heard := range s.listeners {
		select {
		case heard <- struct{}{}:
		default:
		}
	}
}
