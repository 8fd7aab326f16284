package lsp

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// shares bound how many commands of agents compute at a time: there are half as many as
// processors, and one at least, so that what the user types is taken in at once, whatever agents ask for.
// They are safe for concurrent use.
type shares struct {
	free    chan struct{} // one for each that is
	waiting atomic.Int32
}

func newShares() *shares {
	n := max(1, runtime.NumCPU()/2)
	s := &shares{free: make(chan struct{}, n)}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

// take waits for a share until ctx is done, and is ok once it has one.
func (s *shares) take(ctx context.Context) bool {
	select {
	case <-s.free:
		return true
	default:
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case <-s.free:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *shares) give() { s.free <- struct{}{} }

// shareTime is how long a command may compute while others wait for its share.
const shareTime = 5 * time.Millisecond

// share is the share of one command, while it has one. nil is that of who needs none.
type share struct {
	of    *shares
	ctx   context.Context
	since time.Time

	has bool // between take and what ends it, unless ctx is done
}

// shareOf returns the share of a command of the caller, which ends with ctx.
func (s *caller) shareOf(ctx context.Context) *share {
	if s.self == s {
		return nil
	}
	return &share{of: s.shares, ctx: ctx}
}

// compute runs f with the share, and gives the share back also where f panics.
func (sl *share) compute(f func()) {
	defer sl.take()()
	f()
}

// take waits for the share, and returns what gives it back. Nothing that waits for others may
// be done in between.
func (sl *share) take() (give func()) {
	if sl == nil {
		return func() {}
	}
	sl.has, sl.since = sl.of.take(sl.ctx), time.Now()
	return func() {
		if sl.has {
			sl.of.give()
		}
		sl.has = false
	}
}

// pause lets others have the share in between, if they wait and it was had for a while.
// Outside of take, and once the command has ended, it does nothing.
func (sl *share) pause() {
	if sl == nil || !sl.has || sl.of.waiting.Load() == 0 || time.Since(sl.since) < shareTime {
		return
	}
	sl.of.give()
	sl.has, sl.since = sl.of.take(sl.ctx), time.Now()
}
