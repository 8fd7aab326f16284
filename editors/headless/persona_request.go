package headless

import (
	"context"

	"go.lsp.dev/jsonrpc2"
)

// begin sends a request about a document, after what is pending of it. It returns
// when the request is written; the answer comes on the channel, or the
// connection's end does. It needs e.mu, so that nothing comes between the two.
func (b *Buffer) begin(method string) (answered <-chan struct{}) {
	b.flush()
	s := b.now.Load()
	raw, err := encode(map[string]documentID{"textDocument": {b.uri, &s.version}})
	done := make(chan struct{})
	if err != nil {
		close(done)
		return done
	}
	e := b.e
	sent := e.written.onRequest(method, raw)
	e.background.run(func() {
		defer close(done)
		defer e.written.forget(sent)
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
func (e *Editor) synced(ctx context.Context, p *ApplyEditParams) {
	for _, c := range p.Edit.DocumentChanges {
		if b, ok := e.Buffer(c.TextDocument.URI); ok && c.Kind == "" {
			e.mu.Lock()
			answered := b.begin("patchls/synced")
			e.mu.Unlock()
			await(ctx, answered)
		}
	}
}

// refresh answers workspace/diagnostic/refresh.
func (e *Editor) refresh(ctx context.Context, r *reply) {
	select {
	case <-e.ready: // until then nothing is known of the server
	case <-ctx.Done():
		return
	}
	if e.server.DiagnosticProvider == nil {
		return
	}
	switch e.opts.Persona.Refresh {
	case RefreshAnswered:
	case RefreshThenPull:
		r.after(func() { e.pull() })
	case RefreshPullFirst:
		e.pull()
	case RefreshPullWait:
		for _, answered := range e.pull() {
			await(ctx, answered)
		}
	}
}

// pull asks for the diagnostics of every document that the server knows.
func (e *Editor) pull() (answers []<-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.opened {
		if !b.out.mute && !b.out.untold {
			answers = append(answers, b.begin("textDocument/diagnostic"))
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
