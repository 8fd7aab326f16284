package headless

import (
	"context"

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
