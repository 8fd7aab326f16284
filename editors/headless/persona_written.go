package headless

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

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
