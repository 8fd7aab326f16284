package apply

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits"
)

// MaxTries bounds how often an edit that did not land is planned again.
const MaxTries = 5

// maxStale bounds how often an edit is planned again because the text has changed, as it may with
// each key that the user types. No user types so much before the command's time is up.
const maxStale = 1000

// NotAppliedError says that the text is as it was or was changed by the user, so the edit
// may be planned again. Err is the answer if it is not planned again.
type NotAppliedError struct {
	Err           error
	Stale         bool // the text changed before the editor made the edit, so nothing was done
	MayStillApply bool // the editor said yes, and may still make the edit
}

func (n *NotAppliedError) Error() string { return n.Err.Error() }

// Retry counts the tries of a change, until it is applied or must not be tried again. The
// zero value is for a change that was not tried yet.
type Retry struct {
	tries, stale int
	// InDoubt: the editor said yes to a try that its text did not show, so the edit of that try may still be applied.
	InDoubt bool
}

// Any reports whether there was a try.
func (r *Retry) Any() bool { return r.tries+r.stale > 0 }

// Next records the error of a try. It returns nil if the change is to be planned and tried
// again, and otherwise the error of all tries.
func (r *Retry) Next(err error) error {
	var again *NotAppliedError
	if !errors.As(err, &again) {
		return r.Ended(err)
	}
	r.InDoubt = r.InDoubt || again.MayStillApply
	if again.Stale {
		r.stale++
	} else {
		r.tries++
	}
	if r.stale == maxStale || r.tries == MaxTries {
		return r.Ended(again.Err)
	}
	return nil
}

// Ended returns the error of a command that ends with err, nil if err is nil. If an earlier try may still
// be applied, its kind is not_settled, even if the last try failed otherwise, unless the editor is gone.
func (r *Retry) Ended(err error) error {
	if err == nil || !r.InDoubt || edits.IsKind(err, edits.NotSettled) || edits.IsKind(err, edits.EditorGone) {
		return err
	}
	full := *edits.Failure(err)
	words := "The editor says that it applied the edit, but its text did not show it; view the text before anything else, since the edit may still come."
	switch full.Kind {
	case edits.Rejected, edits.TimedOut, edits.Cancelled: // their messages about the text are true of the last try alone
	default:
		words += " It cannot be planned again: " + full.Message
	}
	full.Kind, full.Message = edits.NotSettled, words
	return &full
}

// NotSent returns the error of a command that ended before it sent anything. ctx must be done.
func NotSent(ctx context.Context, why string) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return edits.Errorf(edits.TimedOut, "The command's time was up before anything was sent to the editor: %s.", why)
	}
	return &edits.Error{Kind: edits.Cancelled, Message: "The command was cancelled before anything was sent to the editor."}
}
