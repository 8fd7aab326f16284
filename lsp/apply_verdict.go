package lsp

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
)

// settled decides as soon as what was seen and said is enough.
func (a *attempt) settled(ctx context.Context) (o outcome, done bool, err error) {
	j := a.job
	if a.said == nil {
		return nil, false, nil
	}
	if errors.Is(a.said.err, errGone) {
		if l, ok := a.landed(); ok {
			return l, true, nil
		}
		return nil, true, a.s.gone(j)
	}
	if a.isLost() {
		return nil, true, j.failure(notSettled, "The editor's text of %s is not known any more, so nobody can tell what became of the edit; close the file and open it again in the editor, then view it.", j.Path)
	}
	if l, ok := a.landed(); ok {
		// Once more than it was asked, if it was asked more than once.
		if j.again && !a.over {
			return nil, false, nil
		}
		o, err := a.alone(ctx, l)
		return o, true, err
	}
	if l, ok := a.landedOnDisk(); ok && j.Doc == nil {
		return l, true, nil
	}
	switch {
	case a.said.known() != "":
		return nil, true, j.failure(RejectedByEditor, "The editor rejected the edit of %s: %s.", j.Path, a.said.known())
	case !a.said.applied && a.refutes(), a.strayed():
		o, err := a.verdict(ctx)
		return o, true, err
	case a.changed() && !j.isFileOperation():
		if s, l := a.look(); s == edits.Present {
			o, err := a.alone(ctx, l)
			return o, true, err
		}
	}
	return nil, false, nil
}

// mayStillCome reports whether the editor said that it did a file operation of which
// nothing shows yet. Asked again it might do it to what was made there meanwhile, so
// all that is left is to wait, as long as asking [maxTries] times would take.
func (a *attempt) mayStillCome() bool {
	if !a.job.isFileOperation() || a.said == nil || !a.said.applied {
		return false
	}
	_, seen := a.landed()
	_, onDisk := a.landedOnDisk()
	a.waits++
	return !seen && !onDisk && a.waits < maxTries
}

// verdict decides by the text alone, after the client has had its time.
func (a *attempt) verdict(ctx context.Context) (outcome, error) {
	j, said := a.job, a.said
	if l, ok := a.landed(); ok {
		return a.alone(ctx, l)
	}
	switch {
	case j.isFileOperation():
		return j.verdictOnFile(a.mirror, said)
	case said.applied && j.Doc == nil && !a.isOpen():
		if l := j.verdictOnDisk(); l.doc != nil || !j.withOthers || !a.s.client.Load().traits.announces {
			return l, nil
		}
		return nil, &notAppliedError{err: j.failure(notSettled, "The editor says that it applied the edit of %s, but it did not open it.", j.Path)}
	case said.applied && j.Doc != nil && !a.isOpen():
		return nil, j.failure(notSettled, "%s was closed in the editor meanwhile, so nobody can tell what became of the edit; view it before anything else.", j.Path)
	case j.Doc != nil && !a.isOpen():
		return nil, j.failure(RejectedByEditor, "The editor rejected the edit of %s%s, and has closed it.", j.Path, said.because())
	}
	saw, l := a.look()
	if saw == edits.Present {
		return a.alone(ctx, l)
	}
	if a.strayed() && (said.applied || a.edit.Size() >= leastStray) && a.takeOutStrays(ctx) {
		return nil, &notAppliedError{err: j.failure(notSettled, "The editor made the edit of %s in the wrong place each time, and it was taken out again each time.", j.Path)}
	}
	switch {
	case said.applied && (saw == edits.Unclear || a.surelyPartly()): // behind a no it is what the person typed
		return nil, a.unclear(ctx)
	case said.applied && a.mayBePreviewing():
		return nil, j.failure(notSettled, "The editor says that it applied the edit of %s, but tells of no change; it may be showing the effect of a command that is being typed. View the text before anything else, since the edit may be there.", j.Path)
	case said.applied:
		return nil, &notAppliedError{late: true, err: j.failure(notSettled, "The editor says that it applied the edit of %s, but its text does not show it.", j.Path)}
	case a.changed(): // the person typed: what was planned was about another text
		return nil, &notAppliedError{err: j.failure(RejectedByEditor, "The editor rejected the edit of %s%s; its text kept changing meanwhile.", j.Path, said.because())}
	case a.wasClosed(): // and opened again, so that the edit may have been for another version
		return nil, &notAppliedError{err: j.failure(RejectedByEditor, "The editor rejected the edit of %s%s; it kept closing and opening it meanwhile.", j.Path, said.because())}
	}
	return nil, j.failure(RejectedByEditor, "The editor rejected the edit of %s%s; its text is as it was.", j.Path, said.because())
}

// mayBePreviewing reports whether the editor has made the edit and keeps quiet about it.
// It has sent all that it holds back, and that was nothing: so the edit was not stale,
// which is the other reason for a yes that nothing follows. Asked again it would make it
// twice.
func (a *attempt) mayBePreviewing() bool { return a.flushed && a.mayKeepQuiet() }

// mayKeepQuiet reports whether the editor is one that makes an edit and tells of it much
// later, and has told of nothing yet. Besides what is said at [traits], Neovim 0.7 begins
// its delay anew with every key, as long as somebody types.
func (a *attempt) mayKeepQuiet() bool {
	return a.s.client.Load().traits.previews && !a.changed() && !a.job.isFileOperation() && a.job.Doc != nil
}

// verdictOnDisk decides about a file that the editor edited without a word: it
// may have written it (kakoune does).
func (j *job) verdictOnDisk() landed {
	l := landed{job: j}
	done, _ := workspace.SameOnDisk(j.Abs, j.after)
	as, _ := workspace.SameOnDisk(j.Abs, j.Text) // which may differ in line ends alone
	if done && !(as && j.Exists) {
		l.doc, l.onDisk = &workspace.Document{Key: j.Key, URI: j.URI, Text: j.after}, true
	}
	return l
}

// overdue is the error of a command whose time is up after its edit was sent.
func (a *attempt) overdue() error {
	s, j := a.s, a.job
	if s.base.Err() != nil {
		return s.gone(j)
	}
	if a.said != nil && a.said.applied {
		return j.failure(notSettled, "The editor says that it applied the %s, but its text did not show it within apply_timeout_ms (%d); view it before anything else, since it may still come.",
			j.what(), s.settings.Load().of(applyTimeoutMS))
	}
	state := "its text is as it was"
	if a.changed() {
		state = "its text has changed in another way"
	}
	return j.failure(timedOut, "The editor did not apply the %s within apply_timeout_ms (%d); %s. View the file before you send it again, since the editor may still do it.",
		j.what(), s.settings.Load().of(applyTimeoutMS), state)
}

func (s *server) gone(j *job) error {
	return j.failure(editorGone, "The editor went away before the %s could be verified.", j.what())
}

func (j *job) failure(kind edits.Kind, format string, args ...any) error {
	return &edits.Error{Kind: kind, Path: j.Path, Message: fmt.Sprintf(format, args...)}
}
