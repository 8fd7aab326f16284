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

// Flush writes every pending didChange now, and the didOpen of every document
// that the server is still to be told of.
func (e *Editor) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.opened {
		b.flush()
	}
}

// Pending reports whether the text has changes that the server was not told of
// and will be. It is never true of the compliant editor.
func (b *Buffer) Pending() bool { return b.now.Load().pending }

// send writes what is in the outbox, or sees to it that it is written later. s is
// the state about to be published. It needs e.mu.
func (b *Buffer) send(s *state) {
	switch {
	case b.out.mute:
		b.out.changes = nil
	case b.out.untold:
		s.pending = true
	case b.e.base.Err() != nil: // nobody listens
		b.tell(s)
	default:
		if wait, late := b.lateness(); late {
			s.pending = true
			b.arm(wait)
			return
		}
		b.tell(s)
	}
}

// lateness returns when the next didChange is due. A negative wait has no end of
// its own: an answer comes first.
func (b *Buffer) lateness() (wait time.Duration, late bool) {
	if b.out.held > 0 {
		return -1, true
	}
	sync := &b.e.opts.Persona.Sync
	switch sync.Delay {
	case DelayRate:
		if b.out.last.IsZero() {
			return sync.By, true
		}
		wait = sync.By - time.Since(b.out.last)
		return wait, wait > 0
	case DelayIdle:
		return max(sync.By-time.Since(b.e.lastInput), afterAnswer), true
	case DelayDebounce:
		return sync.By, true
	}
	return 0, false
}

// arm sets the buffer's timer anew. It needs e.mu.
func (b *Buffer) arm(wait time.Duration) {
	b.disarm()
	if wait < 0 || b.e.base.Err() != nil {
		return
	}
	var mine *time.Timer
	mine = time.AfterFunc(wait, func() {
		b.e.mu.Lock()
		defer b.e.mu.Unlock()
		if b.out.timer == mine {
			b.flush()
		}
	})
	b.out.timer = mine
}

func (b *Buffer) disarm() {
	if b.out.timer != nil {
		b.out.timer.Stop()
		b.out.timer = nil
	}
}

// tell writes the didChange of all that is in the outbox, with the version that
// s then has. It needs e.mu.
func (b *Buffer) tell(s *state) {
	b.disarm()
	s.pending = false
	if b.e.opts.Persona.Sync.CountsSent {
		s.version++
	}
	changes := b.out.changes
	b.out.changes, b.out.last = nil, time.Now()
	b.e.tellChange(b, s, changes)
}

// flush is Flush of one buffer. It needs e.mu.
func (b *Buffer) flush() {
	switch {
	case b.out.untold:
		b.announce()
	case len(b.out.changes) > 0:
		s := *b.now.Load()
		b.tell(&s)
		b.now.Store(&s)
	}
}

// hold keeps the buffer's didChanges back until release. It needs e.mu.
func (b *Buffer) hold() {
	b.out.held++
	b.disarm()
}

// release lets what was held back go, a moment later or when it is due.
func (b *Buffer) release() {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if b.out.held--; len(b.out.changes) == 0 || b.out.held > 0 {
		return
	}
	if wait, late := b.lateness(); late {
		b.arm(wait)
	} else {
		b.arm(afterAnswer)
	}
}

// isLate reports whether anything of the persona is ever pending.
func (p *Persona) isLate() bool {
	return p.Sync.Delay != DelayNone || p.Edits.Order == AnswerFirst || p.Edits.Order == EitherFirst ||
		p.Files.Closed == ClosedOpenedLate
}

// waitsForAnswers reports whether anything of the persona comes after an answer.
func (p *Persona) waitsForAnswers() bool {
	return p.Edits.Order != ChangeFirst || p.Files.Closed == ClosedOpenedLate || p.Refresh == RefreshThenPull
}

// flushFor writes what is pending of the document that a request is about.
func (e *Editor) flushFor(method string, params json.RawMessage) {
	if !e.opts.Persona.isLate() {
		return
	}
	if method == "workspace/executeCommand" && e.opts.Persona.Sync.CommandsFlush {
		e.Flush()
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
	if b, ok := e.Buffer(p.TextDocument.URI); ok && b.Pending() {
		e.mu.Lock()
		defer e.mu.Unlock()
		b.flush()
	}
}

// input is called when the person does something to b. It needs e.mu.
func (e *Editor) input(b *Buffer) {
	e.lastInput, e.current = time.Now(), b
}

// stopTimers ends what would be written later; there is nobody to write to.
func (e *Editor) stopTimers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.opened {
		b.disarm()
	}
}
