// Package shares bounds how many commands of agents compute at a time, so that what the
// user types is taken in at once, however much agents ask for.
//
//	all := shares.New()
//	share := all.Share(ctx)        // of one command
//	share.Compute(func() { ... })  // waits until it has a share
//	share.Pause()                  // within: lets others have it, if they wait
package shares

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// Shares are half as many as the machine has processors, and at least one. Shares is safe for concurrent use.
type Shares struct {
	inUse   chan struct{} // has a value for each share that a command has
	waiting atomic.Int32
}

// New returns the shares of this machine.
func New() *Shares {
	return &Shares{inUse: make(chan struct{}, max(1, runtime.NumCPU()/2))}
}

// take waits for a share until ctx is done. It reports whether it got one.
func (s *Shares) take(ctx context.Context) bool {
	select {
	case s.inUse <- struct{}{}:
		return true
	default:
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case s.inUse <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// Free returns how many shares are free.
func (s *Shares) Free() int { return cap(s.inUse) - len(s.inUse) }

// turn is how long a command may compute while others wait for its share.
const turn = 5 * time.Millisecond

// Share is the share of one command, while it has one. A nil Share is for a command that needs
// none. It is not safe for concurrent use.
type Share struct {
	of    *Shares
	ctx   context.Context
	since time.Time

	has bool // between Take and its give, unless ctx was done
}

// Share returns the share of a command that ends with ctx; nil if s is nil.
func (s *Shares) Share(ctx context.Context) *Share {
	if s == nil {
		return nil
	}
	return &Share{of: s, ctx: ctx}
}

// Compute runs f with the share, and gives the share back even if f panics.
func (s *Share) Compute(f func()) {
	defer s.Take()()
	f()
}

// Take waits for the share, and returns a function that gives it back. In between, the command must not wait for others.
func (s *Share) Take() (give func()) {
	if s == nil {
		return func() {}
	}
	s.has, s.since = s.of.take(s.ctx), time.Now()
	return func() {
		if s.has {
			<-s.of.inUse
		}
		s.has = false
	}
}

// Pause lets others have the share in between, if they wait and this command has had it for
// a turn. Outside of Take, and once the command has ended, it does nothing.
func (s *Share) Pause() {
	if s == nil || !s.has || s.of.waiting.Load() == 0 || time.Since(s.since) < turn {
		return
	}
	<-s.of.inUse
	s.has, s.since = s.of.take(s.ctx), time.Now()
}
