package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Engine has one editor make changes, and establishes their outcomes. Its fields are set
// before its first use. It is safe for concurrent use.
type Engine struct {
	*host.Host
	Documents *workspace.Documents
	Client    jsonrpc2.Conn // the editor
	// Reach asks whether an operation may reach a target now.
	Reach func(paths.Target, paths.Operation) (paths.Target, error)
	// Disconnected is closed once nothing more comes from the client.
	Disconnected <-chan struct{}
	// Number counts the edits that are sent for the command of a context, for the log.
	Number func(context.Context) int32

	sends workspace.Queue // of applyEdits

	mu       sync.Mutex
	underWay []*request // in flight; the second of two for one document repairs what the first has done
}

// editParams are the parameters of an applyEdit. Leads is for a plugin that makes, renames or deletes a file, as for patchls/save.
type editParams struct {
	Label *string                `json:"label,omitzero"`
	Edit  protocol.WorkspaceEdit `json:"edit"`
	Leads map[string]string      `json:"leads,omitempty"`
}

// request is one applyEdit, from the sending until the editor's text shows the outcome.
type request struct {
	e      *Engine
	change *Change
	*observer
	answer *answer // nil until the editor has answered
	// cancel abandons the request; then the next one may be sent.
	cancel func()
	phase  phase
	rounds int // of grace, for a file operation, which is never sent again
	// flushed: the editor was made to send all that it held back.
	flushed bool
}

// Apply has the client apply a change and waits until the editor's text shows the outcome. The client's own answer proves
// nothing (hazard: applied-true). ctx ends when the command's time is up, with the cause [context.DeadlineExceeded], or when
// the server ends. It does not end when the agent cancels the command: Apply still waits for an edit that was sent. label is
// the name of the edit in the editor's undo menu.
func (e *Engine) Apply(ctx context.Context, j *Change, label string) (Outcome, error) {
	turn := e.sends.Take() // only one may be unanswered on a connection (hazard: one-in-flight)
	sent := false
	defer func() {
		if !sent {
			turn.Done()
		}
	}()
	if turn.Wait(ctx) != nil {
		return Outcome{}, NotSent(ctx, "the editor had not answered other edits")
	}
	if !e.prepareEditor(ctx, j) {
		return Outcome{}, disconnectedError(j)
	}
	keys, leads, err := e.reach(j)
	if err != nil {
		return Outcome{}, err
	}
	folders := j.folders()
	opening := func() (done func() bool) { return e.Documents.Opening(keys, j.textsOpened()) }
	opened := opening()
	defer opened()
	c := e.Editor()
	a := &request{e: e, change: j, observer: newObserver(j, c)}
	defer a.watch(e.Documents)()
	if !a.isCurrent() || j.Doc != nil && !j.Pins.Pin(j.Doc.History, j.Doc.Seq) {
		return Outcome{}, &NotAppliedError{Stale: true, Err: j.Failure(edits.TimedOut, "The text of %s kept changing before anything was sent to the editor; try again.", j.Path)}
	}
	defer e.begin(a)()
	e.Log.DebugContext(ctx, "applyEdit", "path", j.Path, "change", j.Kind, "edits", len(j.Plan.Edits), "mends", j.repairs, "sent", e.Number(ctx))
	params := &editParams{Edit: j.WorkspaceEdit(c)}
	if !c.Quirks.NoLabel {
		params.Label = &label
	}
	if c.Plugin.Save && (j.IsFileOperation() || j.Kind == editor.Create) {
		params.Leads = leads
	}
	call, abandon := context.WithCancel(ctx)
	a.cancel = abandon
	defer abandon()
	answers := make(chan *answer, 1)
	sent = true
	e.Go(func(context.Context) {
		defer turn.Done()
		defer opening()() // Apply may have given up before the editor answers
		if call.Err() != nil {
			return // abandoned before it was sent: the time is up, or the user has made the same change
		}
		if ans := e.callApplyEdit(call, params); ans != nil {
			answers <- ans
		}
	})
	l, err := a.await(ctx, c, answers)
	at := j.targets()
	last := at[len(at)-1]
	astray := opened() || j.IsFileOperation() && !slices.Equal(folders, j.folders())
	if err == nil && (l.OnDisk || l.Doc != nil && e.Documents.Get(last.Key) != nil) { // what was opened or written there is not to be told
		_, gone := e.Reach(last, paths.Access)
		astray = astray || gone != nil && !edits.IsKind(gone, edits.Unsupported)
	}
	if astray {
		e.Log.WarnContext(ctx, "the name of a document led elsewhere while it was edited, and another file may have the edit", "uri", j.URI)
		if err == nil {
			err = j.Failure(edits.OutsideWorkspace, "The name of %s led elsewhere while the editor made the %s, so another file may have it now; tell the user.", j.Path, j.description())
		}
	}
	a.logVerdict(ctx, l, err)
	return l, err
}

// targets returns the files that a change is about; the last one has the text after it.
func (j *Change) targets() []paths.Target {
	if j.Kind == editor.Rename {
		return []paths.Target{j.Target, j.To}
	}
	return []paths.Target{j.Target}
}

// textsOpened returns the texts that the editor may open a document with to make the change; nil for any.
func (j *Change) textsOpened() func() []text.Text {
	switch {
	case j.Doc == nil:
		return func() []text.Text { return []text.Text{j.Text, j.After} }
	case j.IsFileOperation(): // what it is renamed to has its text, with what was typed since
		return func() []text.Text { return []text.Text{j.Doc.History.Text()} }
	}
	return nil
}

// folders returns where the folders of these files lead now.
func (j *Change) folders() []string {
	return lists.Map(j.targets(), func(t paths.Target) string { return t.Folder() })
}

// reach returns the documents that a change is about and where their names lead, by URI, and an error if it may not
// reach them any more.
func (e *Engine) reach(j *Change) (keys []paths.Key, leads map[string]string, err error) {
	leads = map[string]string{}
	for _, was := range j.targets() {
		now, err := e.Reach(was, paths.Access)
		if err == nil && now.Guarded != nil && (was.Guarded == nil || !now.IsAt(was)) { // the user has to be asked
			err = &NotAppliedError{Stale: true, Err: j.Failure(edits.Protected, "%s has come to be protected: %s; send the command again.", was.Path, now.Guarded.Why)}
		}
		if err != nil {
			return nil, nil, err
		}
		keys, leads[was.URI] = append(keys, was.Key), now.Leads()
	}
	return keys, leads, nil
}

// prepareEditor makes an editor send the changes that it holds back and that would be in the edit's way, and brings the
// history of a closed file up to date. It returns false if the editor is disconnected.
func (e *Engine) prepareEditor(ctx context.Context, j *Change) bool {
	c := e.Editor()
	if j.Doc != nil && c.CanFlush() && c.Quirks.HoldsBack {
		select {
		case <-e.flush(ctx):
		case <-e.After(c.Quirks.Settle):
		case <-e.Disconnected:
			return false
		}
	}
	if j.Doc == nil && j.Kind == editor.Update && e.Documents.History(j.Key) != nil {
		e.Documents.CatchUp(j.Key, j.Text)
	}
	return true
}

// await waits for the outcome of a request that was sent.
//
// Once the text shows the edit or the answer has come, the editor has its usual delay for the
// other one. Both are waited for: the text because it decides, the answer so that only one
// edit is in flight at a time. Then the editor is made to send what it may still hold back.
func (a *request) await(ctx context.Context, c *editor.Editor, answers <-chan *answer) (Outcome, error) {
	var delay <-chan time.Time
	var flush <-chan struct{}
	enter := func(p phase) {
		a.phase, delay = p, nil
		if p == flushing {
			a.flushed, flush = true, a.e.flush(ctx)
		}
	}
	for {
		if l, err := a.decide(ctx); !errors.Is(err, errUndecided) {
			return l, err
		}
		now := a.situation(c)
		if a.phase = a.phase.next(onChange, now); a.phase == expired {
			if a.flushed || !a.mayStillCome() {
				return a.verdict(ctx)
			}
			enter(grace)
		}
		if a.phase == grace && delay == nil {
			delay = a.e.After(c.Quirks.Settle)
		}
		select {
		case <-a.news:
			a.e.Log.DebugContext(ctx, "didChange", "path", a.change.Path)
		case ans := <-answers:
			a.answer = ans
			a.e.Log.DebugContext(ctx, "applyEdit answered", "path", a.change.Path, "applied", ans.Applied, "reason", paths.OneLine(ans.Reason, maxLogged))
			if !ans.Applied {
				a.refuse(ans.unreadable)
			}
			now.answered, now.applied = true, ans.Applied
			enter(a.phase.next(onAnswer, now))
		case <-delay:
			now.mayKeepQuiet = !a.change.IsFileOperation() && a.look().mayKeepQuiet(a.statement())
			enter(a.phase.next(onDelay, now))
		case <-flush:
			enter(a.phase.next(onFlush, now))
		case <-a.e.Disconnected:
			a.answer = &answer{disconnected: true}
		case <-ctx.Done():
			if l, ok := a.outcome(); ok {
				return l, nil
			}
			return Outcome{}, a.overdueError(ctx)
		}
	}
}

// situation returns what the next phase depends on, as it is now.
func (a *request) situation(c *editor.Editor) situation {
	seen, visible := a.outcome()
	return situation{
		answered: a.answer != nil, applied: a.answer != nil && a.answer.Applied,
		visible: visible, closed: seen.Deleted, canFlush: c.CanFlush(),
		// If Neovim dropped the edit, its version was old. So Neovim must report the changes since that
		// version now: later they could not be told from changes after an edit that it did not report.
		flushAtOnce: a.change.Doc != nil && c.Quirks.Previews && c.CanFlush(),
	}
}

// logVerdict logs the outcome of a request.
func (a *request) logVerdict(ctx context.Context, l Outcome, err error) {
	if err == nil {
		a.e.Log.DebugContext(ctx, "verdict", "path", a.change.Path, "verdict", "landed", "rebased", l.Change.Rebased)
		return
	}
	what := "failed"
	if _, again := errors.AsType[*NotAppliedError](err); again {
		what = "not applied"
	}
	words, _, _ := strings.Cut(err.Error(), "\n")
	a.e.Log.DebugContext(ctx, "verdict", "path", a.change.Path, "verdict", what, "error", paths.OneLine(words, maxLogged))
}

// maxLogged is how many characters of an editor's message go into the log.
const maxLogged = 100

// An editor may hold changes back for a while, and sends them before it sends a request. So
// the server makes it send one: the server declares that it provides diagnostics, and tells
// the editor to pull them again. There are none to pull (hazard: held-back-changes).

// flush makes the client send what it holds back. The channel is closed once the client has done so, or has refused to.
func (e *Engine) flush(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	e.Go(func(context.Context) {
		defer close(done)
		if _, err := e.Client.Call(ctx, protocol.MethodWorkspaceDiagnosticRefresh, nil, nil); err != nil {
			e.Log.Debug("refresh", "error", err)
		}
	})
	return done
}

// begin records a request as in flight until end is called.
func (e *Engine) begin(a *request) (end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.underWay = append(e.underWay, a)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.underWay = slices.DeleteFunc(e.underWay, func(x *request) bool { return x == a })
	}
}

// Read reads the text at path, as a command names it, to show it. It never waits. Some editors report an edit part by part:
// while the edit is half made, Read returns the text from before it (hazard: transient-text).
func (e *Engine) Read(w *workspace.Workspace, path string) (workspace.Snapshot, error) {
	place, err := w.Resolve(path)
	if err != nil {
		return workspace.Snapshot{}, err
	}
	snap, err := w.Read(place)
	if err != nil || snap.Doc == nil {
		return snap, err
	}
	e.mu.Lock()
	var last *request
	for _, a := range e.underWay {
		if a.change.Key == snap.Key {
			last = a
		}
	}
	e.mu.Unlock()
	if last != nil && last.isHalfMade() {
		snap.Doc, snap.Text = last.change.Doc, last.change.Doc.Text
	}
	snap.Mark()
	return snap, nil
}

// isHalfMade reports whether the text may have only a part of the edit.
func (a *request) isHalfMade() bool {
	return a.change.Doc != nil && a.look().partial && a.evidence().sighting != changeset.Present
}

// answer is the client's answer to an applyEdit.
type answer struct {
	Applied      bool      `json:"applied"`
	Reason       string    `json:"failureReason"`
	Versions     *versions `json:"versions"` // of the document around the edit; nil if the editor does not say
	unreadable   bool      // the answer could not be parsed, so the edit may have been made
	disconnected bool      // the connection ended before an answer came
}

// quotedReason returns the client's reason for use in an error; "" if it gave none.
func (a *answer) quotedReason() string {
	if a.Reason == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", a.Reason)
}

// knownReason explains a reason that is known, and returns "" for others. Known reasons are
// final: asked again, Neovim would edit a file that has a swap file (hazard: final-refusal).
func (a *answer) knownReason() string {
	for _, k := range [...]struct{ has, words string }{
		{"E325", "it has a swap file, so it is open in another Neovim or was when one crashed; close it there, or remove the swap file"},
		{"not 'modifiable'", "its buffer is read-only ('modifiable' is off)"},
		{"compare number with nil", "the edit was sent without a version, which is a fault of patchls; please report it"},
	} {
		if !a.Applied && strings.Contains(a.Reason, k.has) {
			return k.words
		}
	}
	return ""
}

// callApplyEdit sends an applyEdit and returns the answer, or nil if ctx ended first. An
// error, a null and applied: false all mean no (hazard: spellings-of-no).
func (e *Engine) callApplyEdit(ctx context.Context, params *editParams) *answer {
	var raw jsonrpc2.RawMessage
	_, err := e.Client.Call(ctx, protocol.MethodWorkspaceApplyEdit, params, &raw)
	if refusal, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return &answer{Reason: refusal.Message}
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return &answer{disconnected: true}
	}
	var a answer
	if json.Unmarshal(raw, &a) != nil {
		return &answer{Reason: "an answer that is none", unreadable: true}
	}
	return &a
}
