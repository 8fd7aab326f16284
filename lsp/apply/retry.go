package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
)

// MaxTries bounds how often an edit that did not land is planned again.
const MaxTries = 5

// maxStale bounds how often it is planned again because the text has moved on before
// anything could be sent.
const maxStale = 100

// NotAppliedError says that the text is as it was or was changed by the user, so
// the edit may be planned again; Err is the answer if that is not to be.
type NotAppliedError struct {
	Err           error
	Stale         bool // the document moved on before the edit was sent, so nothing was tried
	MayStillApply bool // the editor said yes, and may still do it
}

func (n *NotAppliedError) Error() string { return n.Err.Error() }

// Retry counts how often a change was planned and tried, until it is applied or is not to be
// tried again. The zero value is that of a change not tried yet.
type Retry struct {
	tries, stale int
	// inDoubt: the editor acknowledged a try that its text did not show, so that one may still be
	// applied.
	InDoubt bool
}

// Any reports whether there was a try.
func (r *Retry) Any() bool { return r.tries+r.stale > 0 }

// Next takes the error of a try of c. It returns nil if the change is to be planned and tried
// again, and else the error of all tries.
func (r *Retry) Next(c *Change, err error) error {
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
	switch {
	case r.stale == maxStale:
		full := c.Failure(editor.TimedOut, "The text of %s kept changing before anything was sent to the editor; try again.", c.Path)
		return r.Ended(&notSentError{editor.Failure(full)})
	case r.tries == MaxTries:
		return r.Ended(again.Err)
	}
	return nil
}

// Unplannable returns the error of a change that cannot be planned, perhaps not again: if an
// earlier try may still be applied, the error says so. It is nil where err is.
func (r *Retry) Unplannable(err error) error {
	if err == nil || !r.InDoubt {
		return err
	}
	full := *editor.Failure(err)
	full.Message = "The editor says that it applied the edit, but its text did not show it, and it cannot be planned again; view the text before anything else, since the edit may still come. " + full.Message
	full.Kind = editor.NotSettled
	return &full
}

// Ended returns the error of a command that ended before it sent an edit again, or
// because the editor rejected it then. If an earlier try may still be applied, that is
// not_settled.
func (r *Retry) Ended(err error) error {
	if !r.InDoubt {
		return err
	}
	how := "was cancelled"
	ended, ok := errors.AsType[*notSentError](err)
	switch {
	case ok && ended.full.Kind == editor.TimedOut:
		how = "had no time left"
	case !ok && edits.IsKind(err, editor.Rejected):
		how = "sent it again, which the editor rejected"
	case !ok:
		return err
	}
	return &edits.Error{Kind: editor.NotSettled, Path: editor.Failure(err).Path, Message: fmt.Sprintf(
		"The editor says that it applied the edit, but its text did not show it when the command %s; view the text before anything else, since the edit may still come.", how)}
}

// notSentError is for a command that ended before it sent an edit.
type notSentError struct{ full *edits.Error }

func (e *notSentError) Error() string { return e.full.Error() }
func (e *notSentError) Unwrap() error { return e.full }

// NotSent is the error of a command that ended before it sent anything; ctx
// is done.
func NotSent(ctx context.Context, why string) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &notSentError{&edits.Error{Kind: editor.TimedOut, Message: fmt.Sprintf("The command's time was up before anything was sent to the editor: %s.", why)}}
	}
	return &notSentError{&edits.Error{Kind: editor.Cancelled, Message: "The command was cancelled before anything was sent to the editor."}}
}
