package personas

import (
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// outbox is what the server has yet to be sent about a buffer. It is guarded by the
// editor's lock.
type outbox struct {
	untold  bool // didOpen is to come
	mute    bool // nothing will ever come
	changes []headless.ContentChange
	held    int // answers that the changes wait for
	timer   *time.Timer
	last    time.Time // of the last didChange; zero if there was none
}

// afterAnswer is how long after an answer VS Code and eglot write the didChange, as
// observed.
const afterAnswer = time.Millisecond

// send writes the outbox, or schedules that. s is the state that is about to be published.
func (d *document) send(s *headless.State) {
	switch {
	case d.out.mute:
		d.out.changes = nil
	case d.out.untold:
		d.pending = true
	case d.q.ended(): // the connection has ended
		d.tell(s)
	default:
		if wait, late := d.lateness(); late {
			d.pending = true
			d.arm(wait)
			return
		}
		d.tell(s)
	}
}

// lateness returns the delay of the next didChange. A negative wait means that the
// didChange has no due time: an answer must be written first.
func (d *document) lateness() (wait time.Duration, late bool) {
	if d.out.held > 0 {
		return -1, true
	}
	sync := &d.q.Sync
	switch sync.Delay {
	case DelayRate:
		if d.out.last.IsZero() {
			return sync.By, true
		}
		wait = sync.By - time.Since(d.out.last)
		return wait, wait > 0
	case DelayIdle:
		return max(sync.By-time.Since(d.q.lastInput), afterAnswer), true
	case DelayDebounce:
		return sync.By, true
	}
	return 0, false
}

// arm sets the buffer's timer anew.
func (d *document) arm(wait time.Duration) {
	d.disarm()
	if wait < 0 || d.q.ended() {
		return
	}
	var mine *time.Timer
	mine = time.AfterFunc(wait, func() {
		d.q.e.Lock()
		defer d.q.e.Unlock()
		if d.out.timer == mine && !d.q.ended() {
			d.Flush()
		}
	})
	d.out.timer = mine
}

func (d *document) disarm() {
	if d.out.timer != nil {
		d.out.timer.Stop()
		d.out.timer = nil
	}
}

// tell writes the didChange of all that is in the outbox, with the version that
// s then has.
func (d *document) tell(s *headless.State) {
	d.disarm()
	d.pending = false
	if d.q.Sync.CountsSent {
		s.Version++
	}
	changes := d.out.changes
	d.out.changes, d.out.last = nil, time.Now()
	d.q.e.TellChange(d.b, s, changes)
}

// Flush sends everything pending to the server.
func (d *document) Flush() {
	s := d.b.State()
	d.flush(&s)
	d.b.SetState(s)
}

func (d *document) flush(s *headless.State) {
	switch {
	case d.out.untold:
		d.announce(s)
	case len(d.out.changes) > 0:
		d.tell(s)
	}
}

// hold keeps the buffer's didChanges back until release.
func (d *document) hold() {
	d.out.held++
	d.disarm()
}

// release lets what was held back go, a moment later or when it is due.
func (d *document) release() {
	d.q.e.Lock()
	defer d.q.e.Unlock()
	if d.out.held--; len(d.out.changes) == 0 || d.out.held > 0 {
		return
	}
	if wait, late := d.lateness(); late {
		d.arm(wait)
	} else {
		d.arm(afterAnswer)
	}
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
