package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// pins are the places in histories that a command still needs. It is safe for
// concurrent use.
type pins struct {
	mu     sync.Mutex
	unpins []func()
}

// pin keeps a place in a history; false if it is not there any more.
func (p *pins) pin(of *history.History, seq int) bool {
	unpin, ok := of.Pin(seq)
	if ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unpins = append(p.unpins, unpin)
	}
	return ok
}

// release gives all places up.
func (p *pins) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, unpin := range p.unpins {
		unpin()
	}
	p.unpins = nil
}

// landed: the edit was seen in the editor's own text, doc. A nil doc means that
// nobody could see: the editor took the edit of a file of which it never told.
type landed struct {
	change *Change  // as it landed, which may be on a newer text than it was planned on
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

// notAppliedError says that the text is as it was or was changed by the user, so
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
	s      *server
	change *Change
	*mirror
	said *answer // nil until the editor has answered
	// abandon takes the request back; then the next one may be sent.
	abandon func()
	// over: the editor has had its time, which is waits times the usual one where it
	// is not to be asked again.
	over  bool
	waits int
	// flushed: the editor was made to send what it has not sent yet, or cannot be.
	flushed bool
}

// apply has the client apply a job and waits until the editor's text tells what
// became of it. The client's own answer proves nothing (hazard: applied-true).
// ctx ends when the command's time is up; nobody can cancel it.
func (s *server) apply(ctx context.Context, j *Change, label string) (landed, error) {
	turn := s.sendQueue.Take() // one is unanswered at a time on a connection (hazard: one-in-flight)
	sent := false
	defer func() {
		if !sent {
			turn.Done()
		}
	}()
	if turn.Wait(ctx) != nil {
		return landed{}, waitError(ctx, "the editor had not answered other edits")
	}
	if !s.prepareEditor(ctx, j) {
		return landed{}, s.gone(j)
	}
	c := s.client.Load()
	a := &attempt{s: s, change: j, mirror: newMirror(j, c, s.encoding)}
	defer a.watch(s.docs)()
	if !a.isCurrent() || j.Doc != nil && !j.pins.pin(j.Doc.History, j.Doc.Seq) {
		return landed{}, &notAppliedError{unsent: true}
	}
	defer s.underWay.begin(a)()
	s.log.DebugContext(ctx, "applyEdit", "path", j.Path, "change", j.kind, "edits", len(j.plan.Edits), "mends", j.mends, "sent", journeyOf(ctx).sent())
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
		if call.Err() != nil {
			return // it was taken back before it went out: the user has done the same
		}
		ans := s.callApplyEdit(call, params)
		if ans.err != nil && call.Err() != nil {
			return // it is no answer: the request was taken back
		}
		answers <- ans
	})
	l, err := a.await(ctx, c, answers)
	a.came(ctx, l, err)
	return l, err
}

// prepareEditor has an editor send what it holds back, if that would not make an edit
// stale, and says in the history of a closed file what it holds. It is false if
// nothing comes from the editor any more.
func (s *server) prepareEditor(ctx context.Context, j *Change) bool {
	c := s.client.Load()
	if j.Doc != nil && c.CanFlush() && c.Quirks.HoldsBack {
		select {
		case <-s.flush(ctx):
		case <-s.opts.After(c.Quirks.Settle):
		case <-s.unheard:
			return false
		}
	}
	if j.Doc == nil && j.kind == editor.Update {
		s.docs.Reread(j.Key, j.Text)
	}
	return true
}

// await waits for the end of an attempt that was sent.
//
// The editor has its usual delay from the moment that one of the two is there: the
// edit in its text, or its answer. The other is waited for as well: the text because
// it decides, the answer so that one edit is under way at a time. Then it is made to
// send what it may still hold back.
func (a *attempt) await(ctx context.Context, c *editor.Editor, answers <-chan answer) (landed, error) {
	var patience <-chan time.Time
	var flushed <-chan struct{}
	for {
		if l, done, err := a.settled(ctx); done {
			return l, err
		}
		seen, isThere := a.landed()
		a.over = a.over && !a.mayStillCome()
		switch {
		case a.over:
			return a.verdict(ctx)
		case patience == nil && flushed == nil && (isThere && !seen.gone || a.said != nil): // a no may still come after a closing
			patience = a.s.opts.After(c.Quirks.Settle)
		}
		select {
		case <-a.news:
			a.s.log.DebugContext(ctx, "didChange", "path", a.change.Path)
		case ans := <-answers:
			a.said, patience = &ans, nil
			a.s.log.DebugContext(ctx, "applyEdit answered", "path", a.change.Path, "applied", ans.applied, "reason", paths.OneLine(ans.reason, maxAgentName))
			switch {
			case !ans.applied:
				a.refuse(ans.unread)
			case !isThere && a.change.Doc != nil && c.Quirks.Previews && c.CanFlush():
				// An edit that was dropped was for an old version, and Neovim tells now of what made it
				// old. Later that could not be told from what the user did after a silent edit.
				a.flushed, flushed = true, a.s.flush(ctx)
			}
		case <-patience:
			patience = nil
			switch {
			case !isThere && a.said == nil: // it had landed, and the text is gone
			case !isThere && a.said.applied && !c.CanFlush() && a.mayKeepQuiet(): // until it tells of anything
			case isThere || !a.said.applied || !c.CanFlush() || a.flushed:
				a.over = true
			default:
				a.flushed, flushed = true, a.s.flush(ctx)
			}
		case <-flushed:
			a.over = true
		case <-a.s.unheard:
			if l, ok := a.landed(); ok && a.said != nil {
				return l, nil
			}
			return landed{}, a.s.gone(a.change)
		case <-ctx.Done():
			if l, ok := a.landed(); ok {
				return l, nil
			}
			return landed{}, a.overdue()
		}
	}
}
