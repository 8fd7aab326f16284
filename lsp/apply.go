package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	doc    *workspace.Document
	onDisk bool // the editor had the file closed, and has written it
	gone   bool // the file was deleted, and seen to go
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
}

func (n *notAppliedError) Error() string { return n.err.Error() }

// apply has the client apply a job and waits until the editor's text tells what
// became of it. The client's own answer proves nothing (DESIGN, promise 2).
// ctx ends when the command's time is up; nobody can cancel it.
func (s *server) apply(ctx context.Context, j *job, label string) (outcome, error) {
	c := s.client.Load()
	m := newMirror(j, c)
	defer m.watch(s.docs)()
	if !m.isCurrent() {
		return nil, &notAppliedError{unsent: true}
	}
	params := &protocol.ApplyWorkspaceEditParams{Edit: j.workspaceEdit(s.encoding, c)}
	if label != "" {
		params.Label = &label
	}
	answers := make(chan answer, 1)
	s.spawn(func(context.Context) { answers <- s.callApplyEdit(ctx, params) })

	// The editor has its usual delay from the moment that one of the two is
	// there: the planned text, or its answer. The other is waited for as well: the
	// text because it decides, the answer so that one edit is under way at a time.
	var said *answer
	var patience <-chan time.Time
	planned, other := m.planned, m.other
	for {
		select {
		case <-planned:
			l, ok := m.landed()
			if ok && said != nil {
				return l, nil
			}
			if planned = nil; ok && !l.gone { // a no may still come after a closing
				patience = s.opts.After(c.traits.settle)
			}
		case a := <-answers:
			if answers = nil; a.err != nil && ctx.Err() != nil {
				continue // it is no answer: the request was taken back
			}
			if !a.applied {
				m.refuse()
			}
			if l, ok := m.landed(); ok {
				return l, nil
			}
			if errors.Is(a.err, errGone) {
				return nil, s.gone(j)
			}
			if l, ok := m.landedOnDisk(); ok && j.Doc == nil {
				return l, nil
			}
			said, patience = &a, s.opts.After(c.traits.settle)
			if !a.applied && m.changed() {
				return s.verdict(j, m, said)
			}
		case <-other:
			if other = nil; said != nil && !said.applied {
				return s.verdict(j, m, said)
			}
		case <-patience:
			return s.verdict(j, m, said)
		case <-ctx.Done():
			if l, ok := m.landed(); ok {
				return l, nil
			}
			return nil, s.overdue(j, m, said)
		}
	}
}

// verdict decides by the text alone, after the client has had its time.
func (s *server) verdict(j *job, m *mirror, said *answer) (outcome, error) {
	l, ok := m.landed()
	switch {
	case ok:
		return l, nil
	case j.isFileOperation():
		return j.verdictOnFile(m, said)
	case said.applied && j.Doc == nil && !m.isOpen():
		if l := j.verdictOnDisk(); l.doc != nil || !j.withOthers || !s.client.Load().traits.announces {
			return l, nil
		}
		return nil, &notAppliedError{err: j.failure(notSettled, "The editor says that it applied the edit of %s, but it did not open it.", j.Path)}
	case said.applied && m.changed():
		return nil, j.failure(notSettled, "The editor took the edit of %s, but its text is not what the edit gives; view it before anything else.", j.Path)
	case said.applied:
		return nil, &notAppliedError{err: j.failure(notSettled, "The editor says that it applied the edit of %s, but its text did not change.", j.Path)}
	case m.changed(): // the person typed: what was planned was about another text
		return nil, &notAppliedError{err: j.failure(rejectedByEditor, "The editor rejected the edit of %s%s; its text kept changing meanwhile.", j.Path, said.because())}
	}
	return nil, j.failure(rejectedByEditor, "The editor rejected the edit of %s%s; its text is as it was.", j.Path, said.because())
}

// verdictOnDisk decides about a file that the editor edited without a word: it
// may have written it (kakoune does).
func (j *job) verdictOnDisk() landed {
	if same, _ := workspace.SameOnDisk(j.Abs, j.after); same {
		return landed{doc: &workspace.Document{Key: j.Key, URI: j.URI, Text: j.after}, onDisk: true}
	}
	return landed{}
}

// overdue is the error of a command whose time is up after its edit was sent.
func (s *server) overdue(j *job, m *mirror, said *answer) error {
	if s.base.Err() != nil {
		return s.gone(j)
	}
	if said != nil && said.applied {
		return j.failure(notSettled, "The editor says that it applied the %s, but its text did not show it within apply_timeout_ms (%d); view it before anything else, since it may still come.",
			j.what(), s.settings.Load().ApplyTimeoutMS)
	}
	state := "its text is as it was"
	if m.changed() {
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

// waitError is the error of a command that ended before it sent anything; ctx
// is done.
func waitError(ctx context.Context, why string) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &edits.Error{Kind: timedOut, Message: fmt.Sprintf("The command's time was up before anything was sent to the editor: %s.", why)}
	}
	return &edits.Error{Kind: cancelled, Message: "The command was cancelled before anything was sent to the editor."}
}
