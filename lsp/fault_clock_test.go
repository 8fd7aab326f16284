package lsp_test

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// faultClock is a server's clock that advances when nothing else happens, without any
// real time passing.
type faultClock struct {
	moved *atomic.Int64 // counts whatever happens

	mu     sync.Mutex
	now    time.Duration
	timers []faultTimer
	asked  int // how often it was asked
	// wrong, if set, returns what the clock does wrong with the nth timer.
	wrong func(n int) clockFault
}

// parentPoll is how often a server looks whether the editor's process runs.
const parentPoll = 3 * time.Second

type faultTimer struct {
	due   time.Duration
	fires chan time.Time
}

// clockFault is what a clock does wrong with a timer.
type clockFault int

const (
	right   clockFault = iota
	atOnce             // it is over as soon as it begins
	allOver            // it is, and so are all others: the clock has jumped forward by years
	never
)

func (c *faultClock) after(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved.Add(1)
	n, how := c.asked, right
	c.asked++
	if c.wrong != nil {
		how = c.wrong(n)
	}
	timer := faultTimer{c.now + d, make(chan time.Time, 1)}
	if d == parentPoll {
		return timer.fires // the editor's process is that of the test
	}
	switch how {
	case never:
		return timer.fires
	case atOnce:
		timer.due = 0
		timer.fires <- time.Time{}
		return timer.fires
	case allOver:
		for _, t := range append(c.timers, timer) {
			t.fires <- time.Time{}
		}
		c.timers = nil
		return timer.fires
	}
	c.timers = append(c.timers, timer)
	return timer.fires
}

// next goes on to the next timer, if there is one.
func (c *faultClock) next() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 {
		return false
	}
	first := slices.MinFunc(c.timers, func(a, b faultTimer) int { return cmp.Compare(a.due, b.due) })
	c.timers = slices.DeleteFunc(c.timers, func(t faultTimer) bool { return t == first })
	c.now = max(c.now, first.due)
	c.moved.Add(1)
	first.fires <- time.Time{}
	return true
}

// end makes the clock right from here on, and returns how often it was asked.
func (c *faultClock) end() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = nil
	return c.asked
}

func (c *faultClock) time() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}
