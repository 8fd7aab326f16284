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

// shareWait is how long a share is waited for. Whoever has them may write an answer of many
// megabytes, and others must end within their time: they go on without.
const shareWait = 200 * time.Millisecond

// take waits for a share, and is ok once it has one.
func (s *shares) take(ctx context.Context) bool {
	select {
	case <-s.free:
		return true
	default:
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	late := time.NewTimer(shareWait)
	defer late.Stop()
	select {
	case <-s.free:
		return true
	case <-late.C:
		return false
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

	computes bool // between take and what ends it
	has      bool
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
	sl.has, sl.since, sl.computes = sl.of.take(sl.ctx), time.Now(), true
	return func() {
		if sl.has {
			sl.of.give()
		}
		sl.has, sl.computes = false, false
	}
}

// pause lets others have the share in between, if they wait and it was had for a while; who
// has none waits for one again. Outside of take it does nothing.
func (sl *share) pause() {
	if sl == nil || !sl.computes || sl.has && sl.of.waiting.Load() == 0 || time.Since(sl.since) < shareTime {
		return
	}
	if sl.has {
		sl.of.give()
	}
	sl.has = sl.of.take(sl.ctx)
	sl.since = time.Now()
}
