package headless

import (
	"encoding/json"
	"time"
)

// outbox is what a buffer's server has not been told yet. It is guarded by e.mu.
type outbox struct {
	untold  bool // didOpen is to come
	mute    bool // nothing will ever come
	changes []contentChange
	held    int // answers that the changes wait for
	timer   *time.Timer
	last    time.Time // of the last didChange; zero if there was none
}

// afterAnswer is how long after an answer VS Code and eglot were seen to write
// the didChange.
const afterAnswer = time.Millisecond

// send writes what is in the outbox, or sees to it that it is written later. s is
// the state about to be published. It needs e.mu.
func (d *document) send(s *state) {
	switch {
	case d.out.mute:
		d.out.changes = nil
	case d.out.untold:
		s.pending = true
	case d.q.e.base.Err() != nil: // nobody listens
		d.tell(s)
	default:
		if wait, late := d.lateness(); late {
			s.pending = true
			d.arm(wait)
			return
		}
		d.tell(s)
	}
}

// lateness returns when the next didChange is due. A negative wait has no end of
// its own: an answer comes first.
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

// arm sets the buffer's timer anew. It needs e.mu.
func (d *document) arm(wait time.Duration) {
	d.disarm()
	if wait < 0 || d.q.e.base.Err() != nil {
		return
	}
	var mine *time.Timer
	mine = time.AfterFunc(wait, func() {
		d.q.e.mu.Lock()
		defer d.q.e.mu.Unlock()
		if d.out.timer == mine {
			d.flush()
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
// s then has. It needs e.mu.
func (d *document) tell(s *state) {
	d.disarm()
	s.pending = false
	if d.q.Sync.CountsSent {
		s.version++
	}
	changes := d.out.changes
	d.out.changes, d.out.last = nil, time.Now()
	d.q.e.tellChange(d.b, s, changes)
}

// flush is Flush of one buffer. It needs e.mu.
func (d *document) flush() {
	switch {
	case d.out.untold:
		d.announce()
	case len(d.out.changes) > 0:
		s := *d.b.now.Load()
		d.tell(&s)
		d.b.now.Store(&s)
	}
}

// hold keeps the buffer's didChanges back until release. It needs e.mu.
func (d *document) hold() {
	d.out.held++
	d.disarm()
}

// release lets what was held back go, a moment later or when it is due.
func (d *document) release() {
	d.q.e.mu.Lock()
	defer d.q.e.mu.Unlock()
	if d.out.held--; len(d.out.changes) == 0 || d.out.held > 0 {
		return
	}
	if wait, late := d.lateness(); late {
		d.arm(wait)
	} else {
		d.arm(afterAnswer)
	}
}

// isLate reports whether anything of the persona is ever pending.
func (q *quirks) isLate() bool {
	return q.Sync.Delay != DelayNone || q.Edits.Order == AnswerFirst || q.Edits.Order == EitherFirst ||
		q.Files.Closed == ClosedOpenedLate
}

// waitsForAnswers reports whether anything of the persona comes after an answer.
func (q *quirks) waitsForAnswers() bool {
	return q.Edits.Order != ChangeFirst || q.Files.Closed == ClosedOpenedLate || q.Refresh == RefreshThenPull
}

// calling writes what is pending of the document that a request is about.
func (q *quirks) calling(method string, params json.RawMessage) {
	if !q.isLate() {
		return
	}
	if method == "workspace/executeCommand" && q.Sync.CommandsFlush {
		q.e.Flush()
		return
	}
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(params, &p) != nil || p.TextDocument.URI == "" {
		return
	}
	if b, ok := q.e.Buffer(p.TextDocument.URI); ok && b.Pending() {
		q.e.mu.Lock()
		defer q.e.mu.Unlock()
		docOf(b).flush()
	}
}

// ended ends what would be written later; there is nobody to write to.
func (q *quirks) ended() {
	q.e.mu.Lock()
	defer q.e.mu.Unlock()
	for _, b := range q.e.opened {
		docOf(b).disarm()
	}
}

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
