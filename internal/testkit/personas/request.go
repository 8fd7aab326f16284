package personas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// begin sends a request about a document, after the pending changes of the document. It
// returns when the request is written. The channel is closed on the answer or at the end
// of the connection. The editor must be locked, so that nothing is written in between.
func (d *document) begin(method string) (answered <-chan struct{}) {
	d.Flush()
	type documentID struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	}
	raw, err := json.Marshal(map[string]documentID{"textDocument": {d.b.URI(), d.b.Version()}})
	done := make(chan struct{})
	if err != nil {
		close(done)
		return done
	}
	q := d.q
	r := q.wire.onRequest(method, raw)
	go func() {
		defer close(done)
		defer q.wire.forget(r)
		_ = q.e.Call(context.Background(), method, json.RawMessage(raw), nil)
	}()
	select {
	case <-r.sent:
	case <-q.e.Done():
	}
	return done
}

// synced calls patchls/synced for the documents of an edit and waits for the
// answers, as patchls' plugin does before it answers.
func (q *quirks) synced(ctx context.Context, p *headless.ApplyEditParams) {
	for _, c := range p.Edit.DocumentChanges {
		if b, ok := q.e.Buffer(c.TextDocument.URI); ok && c.Kind == "" {
			q.e.Lock()
			answered := docOf(b).begin("patchls/synced")
			q.e.Unlock()
			await(ctx, answered)
		}
	}
}

// refresh answers workspace/diagnostic/refresh.
func (q *quirks) refresh(ctx context.Context, r *reply) {
	select {
	case <-q.ready: // until then nothing is known of the server
	case <-ctx.Done():
		return
	}
	if q.server.Load().DiagnosticProvider == nil {
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
	open := q.e.Buffers()
	q.e.Lock()
	defer q.e.Unlock()
	for _, b := range open {
		if d := docOf(b); !b.Closed() && !d.out.mute && !d.out.untold {
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

// wire reports when an answer, or a request of the editor, was written. jsonrpc2 reports
// neither, but personas depend on the order of messages.
type wire struct {
	waiting atomic.Int32 // number of entries below; if 0, messages need not be parsed

	mu       sync.Mutex
	answers  map[string]func() // by the JSON of the id
	requests []*sending
}

// sending is a call that is about to be written.
type sending struct {
	method string
	params []byte
	sent   chan struct{}
}

// onAnswer has f called once the answer to id is written. f must not block.
func (w *wire) onAnswer(id jsonrpc2.ID, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers == nil {
		w.answers = map[string]func(){}
	}
	w.answers[keyOf(id)] = f
	w.waiting.Add(1)
}

// keyOf returns the JSON of an id.
func keyOf(id jsonrpc2.ID) string {
	if s, ok := id.StringValue(); ok {
		raw, _ := json.Marshal(s)
		return string(raw)
	}
	return fmt.Sprint(id)
}

// expects reports whether a request is one of those.
func (w *wire) expects(method string, params []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.find(method, params) != nil
}

func (w *wire) find(method string, params []byte) *sending {
	for _, r := range w.requests {
		if r.method == method && bytes.Equal(r.params, params) {
			return r
		}
	}
	return nil
}

// onRequest returns a channel that is closed when the request is written.
func (w *wire) onRequest(method string, params []byte) *sending {
	r := &sending{method, params, make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
	w.waiting.Add(1)
	return r
}

// wrote takes the JSON of a message that was written.
func (w *wire) wrote(body []byte) {
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
		if f := w.take(string(m.ID)); f != nil {
			f()
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.find(m.Method, m.Params); r != nil {
		w.drop(r)
	}
}

func (w *wire) take(id string) func() {
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
func (w *wire) forget(r *sending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(r)
}

// drop needs w.mu.
func (w *wire) drop(r *sending) {
	if i := slices.Index(w.requests, r); i >= 0 {
		w.requests = slices.Delete(w.requests, i, i+1)
		w.waiting.Add(-1)
		close(r.sent)
	}
}

// reply is the answer to one request, with what happens after it. after needs a persona
// that waits for answers.
type reply struct {
	*headless.Request
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
		r.q.later.run(f)
		return
	}
	r.then = append(r.then, f)
}

// done runs what waits for the answer, in another goroutine than the one that wrote it,
// which holds the connection's lock.
func (r *reply) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = true
	r.q.later.run(r.then...)
}

// later runs functions one by one, in the order of the calls, in another goroutine than the caller's.
type later struct {
	mu      sync.Mutex
	queue   []func()
	running bool
}

func (l *later) run(fs ...func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue = append(l.queue, fs...); l.running || len(l.queue) == 0 {
		return
	}
	l.running = true
	go func() {
		for f := l.next(); f != nil; f = l.next() {
			f()
		}
	}()
}

func (l *later) next() (f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running = len(l.queue) > 0; l.running {
		f, l.queue = l.queue[0], l.queue[1:]
	}
	return f
}
