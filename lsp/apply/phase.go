package apply

// A phase is a stage of the wait for a request.
type phase int

const (
	waiting  phase = iota // neither the edit nor the answer has come
	grace                 // one of them has come; the editor has its usual delay for the other
	flushing              // the editor sends what it holds back
	expired               // the editor has had its time, so the text decides
)

// An event is what may end a phase.
type event int

const (
	onChange event = iota
	onAnswer
	onDelay // the delay of grace has passed
	onFlush
)

// situation is what the next phase depends on.
type situation struct {
	answered, applied bool // the editor has answered, with a yes
	visible           bool // the document shows the change
	closed            bool // the document shows it only by being closed, which a no may still explain
	canFlush          bool // the editor can be made to send what it holds back
	flushAtOnce       bool // the editor is made to, as soon as it says yes and shows nothing
	mayKeepQuiet      bool // the editor may have made the change and report it much later
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
			return waiting // the document has shown the change and lost it again
		case s.visible || !s.applied:
			return expired
		case s.canFlush:
			return flushing
		case s.mayKeepQuiet:
			return grace // until the editor reports a change
		}
	}
	return expired
}
