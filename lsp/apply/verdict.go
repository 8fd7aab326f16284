package apply

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// settled decides as soon as what was seen and said is enough.
func (a *attempt) settled(ctx context.Context) (l Outcome, done bool, err error) {
	j := a.change
	if a.said == nil {
		return Outcome{}, false, nil
	}
	if errors.Is(a.said.err, errGone) {
		if l, ok := a.landed(); ok {
			return l, true, nil
		}
		return Outcome{}, true, gone(j)
	}
	if v := a.said.versions; a.saysVersions && v != nil && !a.isLost() {
		if !a.attribute(*v) {
			return Outcome{}, false, nil
		}
		if a.isLost() {
			a.e.Documents.Desync(j.Key, "an edit changed more than it was to")
		}
	}
	if a.isLost() {
		return Outcome{}, true, j.Failure(editor.NotSettled, "The editor's text of %s is not known any more, so nobody can tell what became of the edit; close the file and open it again in the editor, then view it.", j.Path)
	}
	if l, ok := a.landed(); ok {
		l, err := a.confirm(ctx, l)
		return l, true, err
	}
	if l, ok := a.landedOnDisk(); ok && j.Doc == nil {
		return l, true, nil
	}
	switch {
	case a.said.known() != "":
		return Outcome{}, true, j.Failure(editor.Rejected, "The editor rejected the edit of %s: %s.", j.Path, a.said.known())
	case !a.said.applied && a.refutes(), a.strayed():
		l, err := a.verdict(ctx)
		return l, true, err
	case a.changed() && !j.IsFileOperation():
		if s, l := a.look(); s == edits.Present {
			l, err := a.confirm(ctx, l)
			return l, true, err
		}
	}
	return Outcome{}, false, nil
}

// confirm returns a landing as the outcome, unless the editor said no to a change that the
// user may have made. What there is of the edit elsewhere is taken out first.
func (a *attempt) confirm(ctx context.Context, l Outcome) (Outcome, error) {
	if a.change.Doc != nil && !a.change.IsFileOperation() && a.said != nil && !a.said.applied && !a.isOnlyTheEdit(l) {
		return Outcome{}, a.doubtful()
	}
	return a.removeDuplicates(ctx, l)
}

// doubtful is the error for a text that looks as if the edit were made, where it may have
// been the user who changed it so.
func (a *attempt) doubtful() error {
	return a.change.Failure(editor.NotSettled, "The text of %s has changed as the edit would change it, but the user may have done that, as by joining or moving lines: either the edit was made, or it was not and the user did the same. View the text before anything else; nothing was taken back.", a.change.Path)
}

// mayStillCome reports whether the editor said that it did a file operation of which
// nothing shows yet. Asked again it might do it to what was made there meanwhile, so
// all that is left is to wait, as long as asking [maxTries] times would take.
func (a *attempt) mayStillCome() bool {
	if !a.change.IsFileOperation() || a.said == nil || !a.said.applied {
		return false
	}
	_, seen := a.landed()
	_, onDisk := a.landedOnDisk()
	a.waits++
	return !seen && !onDisk && a.waits < MaxTries
}

// verdict decides by the text alone, after the client has had its time.
func (a *attempt) verdict(ctx context.Context) (Outcome, error) {
	j, said := a.change, a.said
	if l, ok := a.landed(); ok {
		return a.confirm(ctx, l)
	}
	switch {
	case j.IsFileOperation():
		return j.verdictOnFile(a.mirror, said)
	case said.applied && j.Doc == nil && !a.isOpen():
		if l := j.verdictOnDisk(); l.Doc != nil || !j.WithOthers || !a.e.Editor().Quirks.Announces {
			return l, nil
		}
		return Outcome{}, &NotAppliedError{Err: j.Failure(editor.NotSettled, "The editor says that it applied the edit of %s, but it did not open it.", j.Path)}
	case said.applied && j.Doc != nil && !a.isOpen():
		return Outcome{}, j.Failure(editor.NotSettled, "%s was closed in the editor meanwhile, so nobody can tell what became of the edit; view it before anything else.", j.Path)
	case j.Doc != nil && !a.isOpen():
		return Outcome{}, j.Failure(editor.Rejected, "The editor rejected the edit of %s%s, and has closed it.", j.Path, said.because())
	}
	if a.isDoubtful() {
		return Outcome{}, a.doubtful()
	}
	saw, l := a.look()
	if saw == edits.Present {
		return a.confirm(ctx, l)
	}
	if a.strayed() && a.takeOutStrays(ctx) {
		return Outcome{}, &NotAppliedError{Err: j.Failure(editor.NotSettled, "The editor made the edit of %s in the wrong place each time, and it was taken out again each time.", j.Path)}
	}
	switch {
	case said.applied && (saw == edits.Unclear || a.surelyPartly()), // behind a no it is what the user typed,
		!said.applied && !a.saysVersions && a.partly(): // or what the editor had made when it failed
		return Outcome{}, a.unclear(ctx)
	case said.applied && a.mayBePreviewing():
		a.e.Documents.Desync(j.Key, "the editor said that it made an edit and told of no change, as while it previews a command")
		return Outcome{}, j.Failure(editor.NotSettled, "The editor says that it applied the edit of %s, but tells of no change; it may be showing the effect of a command that is being typed. View the text before anything else, since the edit may be there.", j.Path)
	case said.applied && !a.isTextKnown():
		return Outcome{}, j.Failure(editor.NotSettled, "The editor says that it applied the edit of %s, but its text does not show it; view the text before anything else, since the edit may still come.", j.Path)
	case said.applied: // an edit for a version that is gone is dropped by an exact editor, and does not come later
		return Outcome{}, &NotAppliedError{late: !(a.isExact() && a.changed()), Err: j.Failure(editor.NotSettled, "The editor says that it applied the edit of %s, but its text does not show it.", j.Path)}
	case a.changed(): // the user typed: what was planned was about another text
		return Outcome{}, &NotAppliedError{Err: j.Failure(editor.Rejected, "The editor rejected the edit of %s%s; its text kept changing meanwhile.", j.Path, said.because())}
	case a.wasClosed(): // and opened again, so that the edit may have been for another version
		return Outcome{}, &NotAppliedError{Err: j.Failure(editor.Rejected, "The editor rejected the edit of %s%s; it kept closing and opening it meanwhile.", j.Path, said.because())}
	}
	return Outcome{}, j.Failure(editor.Rejected, "The editor rejected the edit of %s%s; its text is as it was.", j.Path, said.because())
}

// isTextKnown reports whether the editor has told of all that it has done, or would not make
// the edit a second time. Only then is it safe to ask again.
func (a *attempt) isTextKnown() bool { return a.flushed || a.isExact() }

// mayBePreviewing reports whether the editor has made the edit and keeps quiet about it.
// It has sent all that it holds back, and that was nothing: so the edit was not stale,
// which is the other reason for a yes that nothing follows. Asked again it would make it
// twice.
func (a *attempt) mayBePreviewing() bool {
	return a.flushed && a.e.Editor().Quirks.Previews && a.mayKeepQuiet()
}

// mayKeepQuiet reports whether the editor is one that may make an edit and tell of it much
// later, and has told of nothing yet. Besides what is said at [editor.Quirks], Neovim 0.7 begins
// its delay anew with every key, as long as the user types, and Vim tells of nothing before
// the user goes on.
func (a *attempt) mayKeepQuiet() bool {
	quiet := !a.isExact() || a.e.Editor().Quirks.Previews
	return quiet && !a.changed() && !a.change.IsFileOperation() && a.change.Doc != nil
}

// verdictOnDisk decides about a file that the editor edited without a word: it
// may have written it (kakoune does).
func (j *Change) verdictOnDisk() Outcome {
	l := Outcome{Change: j}
	done, _ := paths.SameOnDisk(j.Abs, j.After)
	as, _ := paths.SameOnDisk(j.Abs, j.Text) // which may differ in line ends alone
	if done && !(as && j.Exists) {
		l.Doc, l.OnDisk = &workspace.Document{Key: j.Key, URI: j.URI, Text: j.After}, true
	}
	return l
}

// overdue is the error of a command whose time is up after its edit was sent.
func (a *attempt) overdue(ctx context.Context) error {
	j, limit := a.change, a.e.Timeout().Milliseconds()
	if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return gone(j) // with the server
	}
	if a.said != nil && a.said.applied {
		return j.Failure(editor.NotSettled, "The editor says that it applied the %s, but its text did not show it within apply_timeout_ms (%d); view it before anything else, since it may still come.",
			j.what(), limit)
	}
	state := "its text is as it was"
	if a.changed() {
		state = "its text has changed in another way"
	}
	return j.Failure(editor.TimedOut, "The editor did not apply the %s within apply_timeout_ms (%d); %s. View the file before you send it again, since the editor may still do it.",
		j.what(), limit, state)
}

func gone(j *Change) error {
	return j.Failure(editor.Gone, "The editor went away before the %s could be verified.", j.what())
}
