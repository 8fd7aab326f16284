package personas

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// quirks are the habits of an editor with a [Persona]. What changes is guarded by the
// editor's lock.
type quirks struct {
	Persona
	e *headless.Editor

	wire   wire
	later  later                    // what comes after answers
	server atomic.Pointer[greeting] // nil until it is known
	ready  chan struct{}            // closed when it is

	lastInput time.Time        // of the user
	current   *headless.Buffer // that the user was at last
	dice      *rand.Rand       // for what a persona does by chance
	buffers   uint64           // made, open or not
	edit      *edit            // that is being made, nil if none is
	newest    map[string]int32 // versions, by URI, of documents that were closed
}

// Options returns what o is for an editor that behaves like the persona. Client, Encodings
// and Capabilities, where o sets them, override the persona's.
func (p Persona) Options(o headless.Options) headless.Options {
	if o.Client.Name == "" {
		o.Client.Name = p.ClientName
	}
	if o.Encodings == nil {
		o.Encodings = p.Encodings
	}
	override := o.Capabilities
	o.Capabilities = func(c *protocol.ClientCapabilities) {
		p.declare(c)
		if override != nil {
			override(c)
		}
	}
	more := o.Habits
	o.Habits = func(e *headless.Editor, _ headless.Habits) headless.Habits {
		q := &quirks{Persona: p, e: e, dice: diceOf(p.Seed, 0), newest: map[string]int32{}, ready: make(chan struct{})}
		if more != nil {
			return more(e, q)
		}
		return q
	}
	return o
}

// ApplyEditFunc answers one workspace/applyEdit. next applies the edit as the editor would without it, and returns the answer
// of that editor; it may be called later, with changed parameters, or never. An error is sent as a JSON-RPC error. To leave
// the request unanswered, wait for ctx, which ends with the connection, with Kill and Close.
//
// It runs on a goroutine of its own and holds no lock, so it may type into buffers and call the server. Edits of one server
// run concurrently then; otherwise they are applied in wire order.
type ApplyEditFunc func(ctx context.Context, e *headless.Editor, params *headless.ApplyEditParams,
	next func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error)

// Decides returns habits by which apply, if it is not nil, answers workspace/applyEdit.
func Decides(apply ApplyEditFunc) func(*headless.Editor, headless.Habits) headless.Habits {
	return func(e *headless.Editor, own headless.Habits) headless.Habits {
		if apply == nil {
			return own
		}
		return decided{own, e, apply}
	}
}

type decided struct {
	headless.Habits
	e     *headless.Editor
	apply ApplyEditFunc
}

// Apply implements [headless.Habits].
func (d decided) Apply(ctx context.Context, r *headless.Request, p *headless.ApplyEditParams) headless.ApplyEditResult {
	r.Pass() // it may hold this edit back forever
	result, err := d.apply(ctx, d.e, p, func(p *headless.ApplyEditParams) headless.ApplyEditResult { return d.Habits.Apply(ctx, r, p) })
	if err != nil {
		result.Err = err
	}
	return result
}

func (p Persona) declare(c *protocol.ClientCapabilities) {
	switch {
	case p.NoPlugin:
		c.Experimental = nil
	case p.Edits.Versions:
		c.Experimental = protocol.LSPAny(`{"patchls":{"save":true,"versions":true}}`)
	}
	if p.Capabilities != nil {
		p.Capabilities(c)
	}
}

// Document implements [headless.Habits].
func (q *quirks) Document(b *headless.Buffer) headless.Document {
	q.buffers++
	d := &document{q: q, b: b, dice: diceOf(q.Seed, q.buffers)}
	if q.edit != nil {
		q.edit.loaded[b.URI()] = d
	}
	return d
}

// Answer implements [headless.Habits].
func (q *quirks) Answer(ctx context.Context, r *headless.Request) (result any, handled bool, err error) {
	own := &reply{Request: r, q: q}
	if q.waitsForAnswers() {
		q.wire.onAnswer(r.ID, own.done)
	}
	r.Own = own
	switch {
	case q.NoPlugin && strings.HasPrefix(r.Method, "patchls/"):
		return nil, true, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", r.Method)
	case r.Method == "workspace/diagnostic/refresh":
		q.refresh(ctx, own)
		return nil, true, nil
	}
	return nil, false, nil
}

// Apply implements [headless.Habits].
func (q *quirks) Apply(ctx context.Context, r *headless.Request, p *headless.ApplyEditParams) headless.ApplyEditResult {
	return q.suffer(ctx, replyOf(r), p)
}

func replyOf(r *headless.Request) *reply { return r.Own.(*reply) } //nolint:errcheck // the editor has no others

// Initialize implements [headless.Habits]: a persona's options say it.
func (q *quirks) Initialize(*protocol.InitializeParams) {}

// Trace implements [headless.Habits]: the first answer with capabilities is that to initialize.
func (q *quirks) Trace(dir string, message []byte) {
	if dir != "receive" || q.server.Load() != nil {
		return
	}
	var m struct {
		Result struct{ Capabilities *greeting }
	}
	if json.Unmarshal(message, &m) == nil && m.Result.Capabilities != nil {
		q.server.Store(m.Result.Capabilities)
		close(q.ready)
	}
}

// greeting is what a server says of itself.
type greeting struct {
	PositionEncoding   string
	DiagnosticProvider any
}

// Wrote implements [headless.Habits].
func (q *quirks) Wrote(message []byte) { q.wire.wrote(message) }

// Calling implements [headless.Habits]: what is pending of the document that a request is
// about is written first.
func (q *quirks) Calling(method string, params json.RawMessage) {
	if !q.isLate() || q.wire.expects(method, params) {
		return
	}
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(params, &p) != nil || p.TextDocument.URI == "" {
		return
	}
	if b, ok := q.e.Buffer(p.TextDocument.URI); ok {
		q.e.Lock()
		defer q.e.Unlock()
		docOf(b).Flush()
	}
}

// touch notes that the user is at b. The editor must be locked.
func (q *quirks) touch(b *headless.Buffer) { q.lastInput, q.current = time.Now(), b }

// ended reports whether the connection has ended.
func (q *quirks) ended() bool {
	select {
	case <-q.e.Done():
		return true
	default:
		return false
	}
}

// isLate reports whether anything of the persona is ever pending.
func (q *quirks) isLate() bool {
	return q.Sync.Delay != DelayNone || q.Edits.Order == AnswerFirst || q.Edits.Order == EitherFirst ||
		q.Files.Closed == ClosedOpenedLate
}

// waitsForAnswers reports whether anything of the persona comes after an answer.
func (q *quirks) waitsForAnswers() bool {
	return q.Edits.Order != ChangeFirst || q.Files.Closed == ClosedOpenedLate || q.Refresh == RefreshThenPull
}

// firstVersion returns the version with which a document is opened.
func (q *quirks) firstVersion(uri string) int32 {
	newest, is := q.newest[uri]
	switch {
	case is && q.Sync.NumbersOn:
		return newest + 1
	case q.Sync.FromZero:
		return 0
	}
	return 1
}

func (q *quirks) encoding() text.Encoding {
	if g := q.server.Load(); g != nil {
		if encoding, is := text.ParseEncoding(g.PositionEncoding); is {
			return encoding
		}
	}
	return text.UTF16
}
