package apply

// A phase is how far the wait for a request has come.
type phase int

const (
	waiting  phase = iota // neither the edit nor the answer has come
	grace                 // one of them has; for the other the editor has its usual delay
	flushing              // the editor sends what it holds back
	expired               // the editor has had its time, so the text decides
)

// An event is what a phase ends with.
type event int

const (
	onChange event = iota
	onAnswer
	onDelay // of grace
	onFlush
)

// situation is what the next phase depends on.
type situation struct {
	answered, applied bool // the editor has answered, with a yes
	visible           bool // the document shows the change
	closed            bool // but only by being closed, which a no may still explain
	canFlush          bool // the editor can be made to send what it holds back
	flushAtOnce       bool // and is, as soon as it says yes and shows nothing
	mayKeepQuiet      bool // it may have made the change, and tell of it much later
}

// next returns the phase after an event.
func (p phase) next(e event, s situation) phase {
	switch e {
	case onChange:
		if p == waiting && (s.answered || s.visible && !s.closed) {
			return grace
		}
		return p
	case onAnswer:
		if s.applied && !s.visible && s.flushAtOnce {
			return flushing
		}
		return grace
	case onDelay:
		switch {
		case !s.answered && !s.visible:
			return waiting // the document has shown the change, and has lost it again
		case s.visible || !s.applied:
			return expired
		case s.canFlush:
			return flushing
		case s.mayKeepQuiet:
			return grace // until it tells of anything
		}
	}
	return expired
}
