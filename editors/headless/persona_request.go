package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

// begin sends a request about a document, after what is pending of it. It returns
// when the request is written; the answer comes on the channel, or the
// connection's end does. It needs e.mu, so that nothing comes between the two.
func (d *document) begin(method string) (answered <-chan struct{}) {
	d.flush()
	s := d.b.now.Load()
	raw, err := encode(map[string]documentID{"textDocument": {d.b.uri, &s.version}})
	done := make(chan struct{})
	if err != nil {
		close(done)
		return done
	}
	e := d.q.e
	sent := d.q.written.onRequest(method, raw)
	e.background.run(func() {
		defer close(done)
		defer d.q.written.forget(sent)
		var result jsonrpc2.RawMessage
		_, _ = e.conn.Call(e.base, method, jsonrpc2.RawMessage(raw), &result)
	})
	select {
	case <-sent.sent:
	case <-e.base.Done():
	}
	return done
}

// synced calls patchls/synced for the documents of an edit and waits for the
// answers, as patchls' plugin does before it answers.
func (q *quirks) synced(ctx context.Context, p *ApplyEditParams) {
	for _, c := range p.Edit.DocumentChanges {
		if b, ok := q.e.Buffer(c.TextDocument.URI); ok && c.Kind == "" {
			q.e.mu.Lock()
			answered := docOf(b).begin("patchls/synced")
			q.e.mu.Unlock()
			await(ctx, answered)
		}
	}
}

// refresh answers workspace/diagnostic/refresh.
func (q *quirks) refresh(ctx context.Context, r *reply) {
	select {
	case <-q.e.ready: // until then nothing is known of the server
	case <-ctx.Done():
		return
	}
	if q.e.server.DiagnosticProvider == nil {
		return
	}
	switch q.Refresh {
	case RefreshAnswered:
	case RefreshThenPull:
		r.after(func() { q.pull() })
	case RefreshPullFirst:
		q.pull()
	case RefreshPullWait:
		for _, answered := range q.pull() {
			await(ctx, answered)
		}
	}
}

// pull asks for the diagnostics of every document that the server knows.
func (q *quirks) pull() (answers []<-chan struct{}) {
	q.e.mu.Lock()
	defer q.e.mu.Unlock()
	for _, b := range q.e.opened {
		if d := docOf(b); !d.out.mute && !d.out.untold {
			answers = append(answers, d.begin("textDocument/diagnostic"))
		}
	}
	return answers
}

func await(ctx context.Context, done <-chan struct{}) {
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// written tells when an answer, or a request of the editor, is on the wire.
// jsonrpc2 tells neither, and the order of messages is what personas are about.
type written struct {
	waiting atomic.Int32 // entries below; 0 spares reading what is written

	mu       sync.Mutex
	answers  map[jsonrpc2.ID]func()
	requests []*sending
}

// sending is a call that is about to be written.
type sending struct {
	method string
	params []byte
	sent   chan struct{}
}

// onAnswer has f called once the answer to id is written. f must not block.
func (w *written) onAnswer(id jsonrpc2.ID, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers == nil {
		w.answers = map[jsonrpc2.ID]func(){}
	}
	w.answers[id] = f
	w.waiting.Add(1)
}

// onRequest returns a channel that is closed when the request is written.
func (w *written) onRequest(method string, params []byte) *sending {
	r := &sending{method, params, make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
	w.waiting.Add(1)
	return r
}

// message takes the JSON of a message that was written.
func (w *written) message(body []byte) {
	if w.waiting.Load() == 0 {
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(body, &m) != nil {
		return
	}
	if m.Method == "" {
		if f := w.take(idOf(m.ID)); f != nil {
			f()
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if r.method == m.Method && bytes.Equal(r.params, m.Params) {
			w.drop(r)
			return
		}
	}
}

func (w *written) take(id jsonrpc2.ID) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.answers[id]
	if f != nil {
		delete(w.answers, id)
		w.waiting.Add(-1)
	}
	return f
}

// forget gives up on a request that was not written.
func (w *written) forget(r *sending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(r)
}

// drop needs w.mu.
func (w *written) drop(r *sending) {
	if i := slices.Index(w.requests, r); i >= 0 {
		w.requests = slices.Delete(w.requests, i, i+1)
		w.waiting.Add(-1)
		close(r.sent)
	}
}

// reply is the answer to one request, and what is to happen after it. The persona must
// be one of those that wait for answers.
type reply struct {
	*request
	q       *quirks
	mu      sync.Mutex
	then    []func()
	written bool
}

// after has f run when the answer is on the wire, in the order of the calls.
func (r *reply) after(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.written {
		r.q.e.background.run(f)
		return
	}
	r.then = append(r.then, f)
}

// done runs what waits for the answer, away from the goroutine that wrote it: that
// one holds the connection's lock.
func (r *reply) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = true
	then := r.then
	wait, through := r.q.later.take(r.q.e.base.Done())
	r.q.e.background.run(func() {
		defer through()
		wait()
		for _, f := range then {
			f()
		}
	})
}
