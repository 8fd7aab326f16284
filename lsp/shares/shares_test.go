package shares

import (
	"context"
	"sync"
	"testing"
	"time"
)

// TestFewCommandsComputeAtATime: never more commands compute than there are shares, a long
// one lets a short one in between, and one that has ended waits for none.
func TestFewCommandsComputeAtATime(t *testing.T) {
	s := &Shares{inUse: make(chan struct{}, 2)}
	var mu sync.Mutex
	var now, most int
	enter := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		now += n
		most = max(most, now)
	}
	ctx, end := context.WithCancel(t.Context())
	var long, short sync.WaitGroup
	for range 2 { // which compute until all short ones are done
		long.Go(func() {
			sh := &Share{of: s, ctx: context.Background()}
			give := sh.Take()
			enter(1)
			for ctx.Err() == nil {
				enter(-1)
				sh.since = time.Time{} // as if it was long
				sh.Pause()
				enter(1)
			}
			enter(-1)
			give()
		})
	}
	for range 100 {
		short.Go(func() {
			sh := &Share{of: s, ctx: context.Background()}
			give := sh.Take()
			enter(1)
			enter(-1)
			give()
			if sh.has {
				t.Error("it has what it gave back")
			}
		})
	}
	short.Wait()
	end()
	long.Wait()
	if most > 2 || s.Free() != 2 {
		t.Errorf("%d computed at a time, and %d shares are left of 2", most, s.Free())
	}
	s.inUse <- struct{}{}
	s.inUse <- struct{}{}
	give := (&Share{of: s, ctx: ctx}).Take()
	if give(); s.Free() != 0 {
		t.Error("one that had ended gave back a share that it had not")
	}
}

// A fault in one command keeps no share from the others.
func TestSharesAfterAFault(t *testing.T) {
	s := New()
	for range cap(s.inUse) + 1 {
		func() {
			defer func() { _ = recover() }()
			(&Share{of: s, ctx: t.Context()}).Compute(func() { panic("a fault") })
		}()
	}
	if s.Free() != cap(s.inUse) {
		t.Errorf("%d of %d shares are left", s.Free(), cap(s.inUse))
	}
}

// A command that does not compute neither releases nor takes a share.
func TestSharesAreLeftAlone(t *testing.T) {
	s := New()
	sh := &Share{of: s, ctx: t.Context()}
	sh.Compute(func() {})
	sh.since = time.Time{}
	sh.Pause()
	if s.Free() != cap(s.inUse) {
		t.Errorf("%d of %d shares are left", s.Free(), cap(s.inUse))
	}
}
