package disk

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that a caller may want to tell apart, with errors.Is.
var (
	// ErrNotUTF8: the bytes are not UTF-8, so they cannot be edited as text
	// without corrupting them.
	ErrNotUTF8 = errors.New("not valid UTF-8")
	// ErrNotRegular: the path names something that is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotDurable: all is saved, and a crash might yet undo it.
	ErrNotDurable = errors.New("it is saved, but the disk does not say that it will stay")
	// ErrLocked: another program has the file locked, and may be changing it.
	ErrLocked = errors.New("another program has locked it")
)

// ChangedError says that a file was not saved because another program
// changed it after it was read or saved last.
type ChangedError struct {
	Path string // the file that was looked at, symlinks resolved
	How  string // "changed", "deleted" or "created"
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was %s by another program since it was read", e.Path, e.How)
}

// HalfSavedError says that saving failed, and that what was saved before could not be put
// back. Its text says which files hold what.
type HalfSavedError struct {
	Cause error
	Left  []error
}

func (e *HalfSavedError) Error() string {
	left := make([]string, len(e.Left))
	for i, err := range e.Left {
		left[i] = err.Error()
	}
	return fmt.Sprintf("%v; %s", e.Cause, strings.Join(left, "; "))
}

func (e *HalfSavedError) Unwrap() error { return e.Cause }

// leftError says what a step has left that could not be undone because of err.
func (s fileStep) leftError(err error) error {
	in := s.Spare
	switch {
	case s.Kind == makes:
		return fmt.Errorf("%s was made and could not be removed (%w)", s.Path, err)
	case s.Kind == fills:
		in = s.Kept
	case s.Kept != "":
		in += " or " + s.Kept
	}
	return fmt.Errorf("%s could not be put back (%w); what it had is in %s", s.Path, err, in)
}
