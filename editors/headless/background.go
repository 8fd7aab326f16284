package headless

import "sync"

// background are the goroutines of an editor besides its connection's. None is
// started once the editor waits for them.
type background struct {
	mu    sync.Mutex
	ended bool
	group sync.WaitGroup
}

// run runs f on a goroutine of its own. f must end with the connection.
func (b *background) run(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.group.Go(f)
	}
}

// wait waits for all of them.
func (b *background) wait() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.group.Wait()
}
