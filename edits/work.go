package edits

// Work is what may be done to plan one command, on however many texts. Planning stops
// when the command has ended; it fails then, whatever it has found. A nil Work bounds
// nothing. It is not safe for concurrent use.
type Work struct {
	ended func() error
	near  int // of maxNear, used
}

// MaxNear bounds what a command does to find what comes near, for all its hunks and files
// together, in bytes that are searched and pairs that are compared. The first search is
// made in any case. It is counted and not timed, so that answers are the same each time.
const MaxNear = 64 << 20

// NewWork returns the work of a command. ended says why it has ended, nil until then; once
// it has it does not go on.
func NewWork(ended func() error) *Work { return &Work{ended: ended} }

// Err returns why planning must stop, nil if it need not.
func (w *Work) Err() error {
	if w == nil {
		return nil
	}
	return w.ended()
}

// Over reports whether planning must stop.
func (w *Work) Over() bool { return w.Err() != nil }

// Search reports whether n bytes may be searched for what comes near.
func (w *Work) Search(n int) bool {
	switch {
	case w == nil:
		return true
	case w.near > 0 && w.near+n > MaxNear || w.Over():
		return false
	}
	w.near += n
	return true
}

// Compared takes note of what was done beside searching.
func (w *Work) Compared(n int) {
	if w != nil {
		w.near += n
	}
}
