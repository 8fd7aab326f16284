package headless

import "time"

// firstVersion is the one that didOpen has.
func (e *Editor) firstVersion() int32 {
	if e.opts.Persona.Sync.FromZero {
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
func (b *Buffer) announce() {
	s := *b.now.Load()
	b.out.untold, b.out.changes, s.pending = false, nil, false
	s.version = b.e.firstVersion()
	b.e.tellOpen(b, &s)
	if b.e.opts.Persona.Files.OpensTwice {
		b.e.tellOpenAgain(b, &s)
	}
	b.now.Store(&s)
}

// announceLater is announce for when the answer is written.
func (b *Buffer) announceLater() {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if b.out.untold {
		b.announce()
	}
}

// reopen tells the server that b was closed and opened again. It needs e.mu.
func (b *Buffer) reopen() {
	b.flush()
	b.e.tellClose(b)
	s := *b.now.Load()
	s.version = b.e.firstVersion()
	b.out.last = time.Time{}
	b.e.tellOpen(b, &s)
	b.now.Store(&s)
}
