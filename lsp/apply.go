package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
)

// The kinds of failure that applying can give (contract 4).
const (
	rejectedByEditor edits.Kind = "rejected_by_editor"
	notSettled       edits.Kind = "not_settled"
	editorGone       edits.Kind = "editor_gone"
	timedOut         edits.Kind = "timeout"
	cancelled        edits.Kind = "cancelled"
	unsupported      edits.Kind = "unsupported"
)

// outcome is what became of a job.
type outcome interface{ outcome() }

// landed: the edit was seen in the editor's own text, doc. A nil doc means that
// nobody could see: the editor took the edit of a file of which it never told.
type landed struct {
	job    *job     // as it landed, which may be on a newer text than it was planned on
	how    *landing // nil if the editor's text was not seen to change
	doc    *workspace.Document
	onDisk bool // the editor had the file closed, and has written it
	gone   bool // the file was deleted, and seen to go
}

// told says that somebody is told the rev of the text as the edit left it.
func (l landed) told() {
	if l.how != nil && l.doc.History != nil {
		l.doc.History.Mark(l.how.seq, l.how.text.Hash())
	}
}

// unapplied: nothing was sent, because it was not to be or could not be.
type unapplied struct{ noApplyEdit bool }

func (landed) outcome()    {}
func (unapplied) outcome() {}

// notAppliedError says that the text is as it was or was changed by the person, so
// the edit may be planned again; err is the answer if that is not to be.
type notAppliedError struct {
	err    error
	unsent bool // the document moved on before the edit was sent, so nothing was tried
	late   bool // the editor said yes, and may still do it
}

func (n *notAppliedError) Error() string { return n.err.Error() }

// attempt is one applyEdit, from the sending until the editor's text tells what
// became of it.
type attempt struct {
	s   *server
	job *job
	*mirror
	said *answer // nil until the editor has answered
	// abandon takes the request back; then the next one may be sent.
	abandon func()
	// over: the editor has had its time.
	over bool
	// flushed: the editor was made to send what it has not sent yet, or cannot be.
	flushed bool
}

// apply has the client apply a job and waits until the editor's text tells what
// became of it. The client's own answer proves nothing (DESIGN, promise 2).
// ctx ends when the command's time is up; nobody can cancel it.
func (s *server) apply(ctx context.Context, j *job, label string) (outcome, error) {
	c := s.client.Load()
	turn := s.sendQueue.Take() // one is unanswered at a time on a connection (hazard 36)
	sent := false
	defer func() {
		if !sent {
			turn.Done()
		}
	}()
	if turn.Wait(ctx) != nil {
		return nil, waitError(ctx, "the editor had not answered other edits")
	}
	if j.Doc != nil && c.canFlush() && (c.traits.holdsBack || c.traits.zeroUnchecked && j.Doc.Version == 0) {
		select {
		case <-s.flush(ctx):
		case <-s.opts.After(c.traits.settle):
		case <-s.unheard:
			return nil, s.gone(j)
		}
	}
	if j.Doc == nil && j.kind == changeUpdate {
		s.docs.Reread(j.Key, j.Text)
	}
	a := &attempt{s: s, job: j, mirror: newMirror(j, c, s.encoding)}
	defer a.watch(s.docs)()
	if !a.isCurrent() || j.Doc != nil && !j.holds.pin(j.Doc.History, j.Doc.Seq) {
		return nil, &notAppliedError{unsent: true}
	}
	defer s.underWay.begin(a)()
	params := &protocol.ApplyWorkspaceEditParams{Edit: j.workspaceEdit(s.encoding, c)}
	if label != "" {
		params.Label = &label
	}
	call, abandon := context.WithCancel(ctx)
	a.abandon = abandon
	defer abandon()
	answers := make(chan answer, 1)
	sent = true
	s.spawn(func(context.Context) {
		defer turn.Done()
		answers <- s.callApplyEdit(call, params)
	})

	// The editor has its usual delay from the moment that one of the two is
	// there: the edit in its text, or its answer. The other is waited for as well:
	// the text because it decides, the answer so that one edit is under way at a
	// time. Then it is made to send what it may still hold back.
	var patience <-chan time.Time
	var flushed <-chan struct{}
	for {
		if o, done, err := a.settled(ctx); done {
			return o, err
		}
		seen, landed := a.landed()
		switch {
		case a.over:
			o, err := a.verdict(ctx)
			return o, err
		case patience == nil && flushed == nil && (landed && !seen.gone || a.said != nil): // a no may still come after a closing
			patience = s.opts.After(c.traits.settle)
		}
		select {
		case <-a.news:
		case ans := <-answers:
			if answers = nil; ans.err != nil && call.Err() != nil {
				continue // it is no answer: the request was taken back
			}
			a.said, patience = &ans, nil
			if !ans.applied {
				a.refuse()
			}
		case <-patience:
			patience = nil
			switch {
			case !landed && a.said == nil: // it had landed, and the text is gone
				continue
			case landed || !a.said.applied || !c.canFlush() || a.flushed:
				a.over = true
				continue
			}
			a.flushed, flushed = true, s.flush(ctx)
		case <-flushed:
			a.over = true
		case <-s.unheard:
			if l, ok := a.landed(); ok && a.said != nil {
				return l, nil
			}
			return nil, s.gone(j)
		case <-ctx.Done():
			if l, ok := a.landed(); ok {
				return l, nil
			}
			return nil, a.overdue()
		}
	}
}

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
		return nil, true, j.failure(rejectedByEditor, "The editor rejected the edit of %s: %s.", j.Path, a.said.known())
	case !a.said.applied && a.changed(), a.strayed():
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
		return nil, j.failure(rejectedByEditor, "The editor rejected the edit of %s%s, and has closed it.", j.Path, said.because())
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
	case said.applied:
		return nil, &notAppliedError{late: true, err: j.failure(notSettled, "The editor says that it applied the edit of %s, but its text does not show it.", j.Path)}
	case a.changed(): // the person typed: what was planned was about another text
		return nil, &notAppliedError{err: j.failure(rejectedByEditor, "The editor rejected the edit of %s%s; its text kept changing meanwhile.", j.Path, said.because())}
	}
	return nil, j.failure(rejectedByEditor, "The editor rejected the edit of %s%s; its text is as it was.", j.Path, said.because())
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
			j.what(), s.settings.Load().ApplyTimeoutMS)
	}
	state := "its text is as it was"
	if a.changed() {
		state = "its text has changed in another way"
	}
	return j.failure(timedOut, "The editor did not apply the %s within apply_timeout_ms (%d); %s. View the file before you send it again, since the editor may still do it.",
		j.what(), s.settings.Load().ApplyTimeoutMS, state)
}

func (s *server) gone(j *job) error {
	return j.failure(editorGone, "The editor went away before the %s could be verified.", j.what())
}

func (j *job) failure(kind edits.Kind, format string, args ...any) error {
	return &edits.Error{Kind: kind, Path: j.Path, Message: fmt.Sprintf(format, args...)}
}

// answer is what the client said to an applyEdit.
type answer struct {
	applied bool
	reason  string
	err     error
}

// because words the client's reason.
func (a *answer) because() string {
	if a.reason == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", a.reason)
}

// known words the reasons whose words are known, "" for others. They are final: a
// file with a swap file is edited by Neovim if it is asked again (hazard 7).
func (a *answer) known() string {
	for _, k := range [...]struct{ has, words string }{
		{"E325", "it has a swap file, so it is open in another Neovim or was when one crashed; close it there, or remove the swap file"},
		{"not 'modifiable'", "its buffer is read-only ('modifiable' is off)"},
		{"compare number with nil", "the edit was sent without a version, which is a fault of patchls; please report it"},
	} {
		if !a.applied && strings.Contains(a.reason, k.has) {
			return k.words
		}
	}
	return ""
}

var errGone = errors.New("the connection has ended")

// callApplyEdit sends an applyEdit. An error, a null and applied: false are
// three spellings of no (hazard 6).
func (s *server) callApplyEdit(ctx context.Context, params *protocol.ApplyWorkspaceEditParams) answer {
	var raw jsonrpc2.RawMessage
	_, err := s.conn.Call(ctx, protocol.MethodWorkspaceApplyEdit, params, &raw)
	var refusal *jsonrpc2.Error
	switch {
	case errors.As(err, &refusal):
		return answer{reason: refusal.Message, err: err}
	case err != nil && ctx.Err() != nil:
		return answer{err: ctx.Err()}
	case err != nil:
		return answer{err: errors.Join(errGone, err)}
	}
	var result struct {
		Applied       bool   `json:"applied"`
		FailureReason string `json:"failureReason"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return answer{reason: "an answer that is none", err: err}
	}
	return answer{applied: result.Applied, reason: result.FailureReason}
}

// endedError is for a command that ended before it sent an edit.
type endedError struct{ full *edits.Error }

func (e *endedError) Error() string { return e.full.Error() }
func (e *endedError) Unwrap() error { return e.full }

// waitError is the error of a command that ended before it sent anything; ctx
// is done.
func waitError(ctx context.Context, why string) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &endedError{&edits.Error{Kind: timedOut, Message: fmt.Sprintf("The command's time was up before anything was sent to the editor: %s.", why)}}
	}
	return &endedError{&edits.Error{Kind: cancelled, Message: "The command was cancelled before anything was sent to the editor."}}
}
