package headless

import "time"

// firstVersion implements [habits].
func (q *quirks) firstVersion() int32 {
	if q.Sync.FromZero {
		return 0
	}
	return 1
}

// nextVersion returns the version of the text after one more change.
func (s *Sync) nextVersion(v int32) int32 {
	switch {
	case s.CountsSent:
		return v
	case s.Ticks && v == 0:
		return 5
	case s.Ticks && v%2 == 0:
		return v + 2
	}
	return v + 1
}

// announce tells the server of a buffer that was opened without a word, with the
// text that it has by now. It needs e.mu.
func (d *document) announce() {
	s := *d.b.now.Load()
	d.out.untold, d.out.changes, s.pending = false, nil, false
	s.version = d.q.firstVersion()
	d.q.e.tellOpen(d.b, &s)
	if d.q.Files.OpensTwice {
		d.q.tellOpenAgain(d.b, &s)
	}
	d.b.now.Store(&s)
}

// announceLater is announce for when the answer is written.
func (d *document) announceLater() {
	d.q.e.mu.Lock()
	defer d.q.e.mu.Unlock()
	if d.out.untold {
		d.announce()
	}
}

// reopen tells the server that b was closed and opened again. It needs e.mu.
func (d *document) reopen() {
	d.flush()
	d.close()
	s := *d.b.now.Load()
	s.version = d.q.firstVersion()
	d.out.last = time.Time{}
	d.q.e.tellOpen(d.b, &s)
	d.b.now.Store(&s)
}
