package apply

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// errUndecided says that the text and the answer do not show the outcome of the edit yet.
var errUndecided = errors.New("undecided")

// decide returns the outcome as soon as the text and the answer show it, and errUndecided before.
func (a *request) decide(ctx context.Context) (Outcome, error) {
	j := a.change
	switch v := a.answer; {
	case v == nil:
		return Outcome{}, errUndecided
	case v.disconnected:
		if l, ok := a.outcome(); ok {
			return l, nil
		}
		return Outcome{}, disconnectedError(j)
	case a.saysVersions && v.Versions != nil && !a.look().desynced:
		if !a.attribute(*v.Versions) {
			return Outcome{}, errUndecided
		}
		if a.look().desynced {
			a.e.Documents.Desync(j.Key, "an edit changed more than it was to")
		}
	}
	seen := a.look()
	if seen.desynced {
		return Outcome{}, j.Failure(edits.NotSettled, "The editor's text of %s is not known any more, so what became of the edit is not known either; close the file and open it again in the editor, then view it.", j.Path)
	}
	if l, ok := a.outcome(); ok {
		return a.confirm(ctx, l)
	}
	if l, ok := a.file.diskOutcome(); ok && j.Doc == nil {
		return l, nil
	}
	switch {
	case a.answer.knownReason() != "":
		return Outcome{}, j.Failure(edits.Rejected, "The editor rejected the edit of %s: %s.", j.Path, a.answer.knownReason())
	case !a.answer.Applied && seen.explainsRejection(), seen.misplaced:
		return a.verdict(ctx)
	case seen.changed && !j.IsFileOperation():
		if seen := a.evidence(); seen.sighting == changeset.Present {
			return a.confirm(ctx, seen.outcome)
		}
	}
	return Outcome{}, errUndecided
}

// confirm returns a landing as the outcome, unless the editor said no to a change that the
// user may have made. A second copy of the edit is taken out first.
func (a *request) confirm(ctx context.Context, l Outcome) (Outcome, error) {
	if a.change.IsFileOperation() {
		return l, nil
	}
	if a.change.Doc != nil && a.answer != nil && !a.answer.Applied && !a.isOnlyTheEdit(l) {
		return Outcome{}, a.doubtfulError()
	}
	return l, a.removeMisplaced(ctx)
}

// doubtfulError is the error for a text that looks as if the edit were made, but that the user may have changed so.
func (a *request) doubtfulError() error {
	return a.change.Failure(edits.NotSettled, "The text of %s has changed as the edit would change it, but the user may have done that, as by joining or moving lines: either the edit was made, or it was not and the user did the same. View the text before anything else; nothing was taken back.", a.change.Path)
}

// mayStillCome reports whether the editor said yes to a file operation that nothing shows
// yet. A second request might affect another file that was made there meanwhile. So the
// operation is not requested again; the request waits as long as [MaxTries] tries would take.
func (a *request) mayStillCome() bool {
	if !a.change.IsFileOperation() || a.answer == nil || !a.answer.Applied {
		return false
	}
	_, seen := a.outcome()
	_, onDisk := a.file.diskOutcome()
	a.rounds++
	return !seen && !onDisk && a.rounds < MaxTries
}

// verdict decides by the text and the answer at the end, after the client has had its time.
func (a *request) verdict(ctx context.Context) (Outcome, error) {
	j, said := a.change, a.answer
	if l, ok := a.outcome(); ok {
		return a.confirm(ctx, l)
	}
	if j.IsFileOperation() {
		return a.file.verdict(said)
	}
	seen := a.evidence()
	v := seen.verdict(a.statement())
	switch v {
	case verdictPresent:
		return a.confirm(ctx, seen.outcome)
	case verdictMisplaced:
		if err := a.removeMisplaced(ctx); err != nil {
			return Outcome{}, err
		}
		return Outcome{}, &NotAppliedError{Err: j.Failure(edits.NotSettled, "The editor made the edit of %s in the wrong place each time, and it was taken out again each time.", j.Path)}
	case verdictUnopened:
		if l := j.outcomeOnDisk(); l.Doc != nil || !j.WithOthers || !a.e.Editor().Quirks.Announces {
			return l, nil
		}
		return Outcome{}, &NotAppliedError{Err: j.Failure(edits.NotSettled, "The editor says that it applied the edit of %s, but it did not open it.", j.Path)}
	case verdictClosed:
		return Outcome{}, j.Failure(edits.NotSettled, "%s was closed in the editor meanwhile, so what became of the edit is not known; view it before anything else.", j.Path)
	case verdictRejectedAndClosed:
		return Outcome{}, j.Failure(edits.Rejected, "The editor rejected the edit of %s%s, and has closed it.", j.Path, said.quotedReason())
	case verdictDoubtful:
		return Outcome{}, a.doubtfulError()
	case verdictUnclear:
		return Outcome{}, a.unclearError(ctx)
	case verdictPreviewing:
		a.e.Documents.Desync(j.Key, "the editor said that it made an edit and told of no change, as while it previews a command")
		return Outcome{}, j.Failure(edits.NotSettled, "The editor says that it applied the edit of %s, but tells of no change; it may be showing the effect of a command that is being typed. View the text before anything else, since the edit may be there.", j.Path)
	case verdictNotShown:
		return Outcome{}, j.Failure(edits.NotSettled, "The editor says that it applied the edit of %s, but its text does not show it; view the text before anything else, since the edit may still come.", j.Path)
	case verdictDropped, verdictIgnored:
		return Outcome{}, &NotAppliedError{Stale: v == verdictDropped, MayStillApply: v == verdictIgnored, Err: j.Failure(edits.NotSettled, "The editor says that it applied the edit of %s, but its text does not show it.", j.Path)}
	case verdictOutdated:
		return Outcome{}, &NotAppliedError{Stale: true, Err: j.Failure(edits.Rejected, "The editor rejected the edit of %s%s; its text kept changing meanwhile.", j.Path, said.quotedReason())}
	case verdictReopened:
		return Outcome{}, &NotAppliedError{Err: j.Failure(edits.Rejected, "The editor rejected the edit of %s%s; it kept closing and opening it meanwhile.", j.Path, said.quotedReason())}
	}
	return Outcome{}, j.Failure(edits.Rejected, "The editor rejected the edit of %s%s; its text is as it was.", j.Path, said.quotedReason())
}

// statement returns what the editor has said so far.
func (a *request) statement() statement {
	return statement{
		applied: a.answer != nil && a.answer.Applied, ofDocument: a.change.Doc != nil, versioned: a.saysVersions,
		flushed: a.flushed, previews: a.e.Editor().Quirks.Previews,
	}
}

// outcomeOnDisk returns the outcome of an edit that the editor accepted without opening the
// file. The editor may have written the file, as Kakoune does.
func (j *Change) outcomeOnDisk() Outcome {
	l := Outcome{Change: j}
	done, _ := paths.SameOnDisk(j.Target, j.After)
	as, _ := paths.SameOnDisk(j.Target, j.Text) // the two texts may differ in line ends alone
	if done && !(as && j.Exists) {
		l.Doc, l.OnDisk = &workspace.Document{Key: j.Key, URI: j.URI, Text: j.After}, true
	}
	return l
}

// overdueError is the error of a command whose time is up after its edit was sent.
func (a *request) overdueError(ctx context.Context) error {
	j, limit := a.change, a.e.Limits().Wait(bounds.ApplyTimeoutMS).Milliseconds()
	if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return disconnectedError(j) // the server ends
	}
	if a.answer != nil && a.answer.Applied {
		return j.Failure(edits.NotSettled, "The editor says that it applied the %s, but its text did not show it within apply_timeout_ms (%d); view it before anything else, since it may still come.",
			j.description(), limit)
	}
	state := "its text is as it was"
	switch seen := a.look(); {
	case seen.partial:
		state = "its text has a part of it, which the editor may have made, or the user"
	case seen.changed:
		state = "its text has changed in another way"
	}
	return j.Failure(edits.TimedOut, "The editor did not apply the %s within apply_timeout_ms (%d); %s. View the file before you send it again, since the editor may still do it.",
		j.description(), limit, state)
}

func disconnectedError(j *Change) error {
	return j.Failure(edits.EditorGone, "The editor went away before the %s could be verified.", j.description())
}

// An edit in the wrong place is taken out again, by the inverse of the change that made it, carried over the changes since.

// removeMisplaced takes all misplaced edits out of the text. It returns an error if one is left.
func (a *request) removeMisplaced(ctx context.Context) error {
	for a.repair(ctx) {
		a.mu.Lock()
		a.misplaced = a.misplaced[:max(0, len(a.misplaced)-1)] // it has none if the text that had them was thrown away
		a.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.misplaced) > 0 {
		return a.change.Failure(edits.NotSettled, "The editor made the edit of %s where it does not belong, and it could not be taken out there; view it before anything else.", a.change.Path)
	}
	return nil
}

// lastMisplaced returns the change that takes the newest misplaced edit out of the text of doc. moved
// is whether the user has put text of that edit elsewhere, for example by joining or moving lines.
func (a *request) lastMisplaced() (c changeset.Changeset, doc *workspace.Document, moved bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.misplaced) == 0 || a.newest == nil || a.desynced {
		return nil, nil, false
	}
	last := a.misplaced[len(a.misplaced)-1]
	since := a.since(last.end)
	return changeset.TakeBack(last.change, since), a.newest, isMoved(last.change.Invert(), []workspace.Step{{Change: since}})
}

// removeParts takes out the parts that were made of an edit in several places, if only the
// editor can have made them. It reports whether none is left.
func (a *request) removeParts(ctx context.Context) bool {
	a.mu.Lock()
	sure := a.isPartialForSure()
	if sure {
		a.misplaced = lists.Map(a.parts.applied, func(i int) misplacedEdit { return misplacedEdit{a.timeline[i].Change, i + 1} })
	}
	a.mu.Unlock()
	return sure && a.removeMisplaced(ctx) == nil
}

// repair has the editor take the newest misplaced edit out of its text, by a change
// computed anew for each try. It reports whether the edit is out of the text.
func (a *request) repair(ctx context.Context) bool {
	if a.change.repairs {
		return false // a repair that fails is not repaired in turn
	}
	a.cancel()
	for range MaxTries {
		c, doc, moved := a.lastMisplaced()
		if doc == nil || len(c) == 0 {
			return doc != nil && !moved // the user has taken it out
		}
		j := &Change{Snapshot: workspace.Snapshot{Target: a.change.Target, Doc: doc, Exists: true, Text: doc.Text}, Kind: editor.Update, Pins: a.change.Pins, repairs: true}
		j.Plan.Edits = c.Edits()
		j.After = j.Plan.Edits.Apply(doc.Text)
		_, err := a.e.Apply(ctx, j, "patchls.mend")
		if _, again := errors.AsType[*NotAppliedError](err); !again {
			return err == nil
		}
	}
	return false
}

// unclearError is the error for a text that is neither the old one nor the planned one. Parts of
// the edit are taken out first.
func (a *request) unclearError(ctx context.Context) error {
	if a.removeParts(ctx) {
		return a.change.Failure(edits.NotSettled, "The editor made only a part of the edit of %s; that was taken back, and the rest of its text is the user's. View it before anything else.", a.change.Path)
	}
	if !a.answer.Applied {
		return a.change.Failure(edits.NotSettled, "The editor rejected the edit of %s%s, but the text has it or a part of it, which the editor may have made, or the user may have done that; view it before anything else.", a.change.Path, a.answer.quotedReason())
	}
	return a.change.Failure(edits.NotSettled, "The editor took the edit of %s, but its text is not what the edit gives; view it before anything else.", a.change.Path)
}

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
	again, is := errors.AsType[*NotAppliedError](err)
	if !is {
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
	if errors.Is(context.Cause(ctx), host.ErrGone) {
		return edits.Errorf(edits.EditorGone, "The editor went away before anything was sent to it.")
	}
	return &edits.Error{Kind: edits.Cancelled, Message: "The command was cancelled before anything was sent to the editor."}
}
