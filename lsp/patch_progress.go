package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// progress tells the person how far a patch of several files is. What becomes
// of that never matters to the patch.
type progress struct {
	s     *caller
	token json.RawMessage
	steps chan int // nil where nothing is told
	ended chan struct{}
	own   bool // the token is this server's
	total int
}

type progressKey struct{}

// withProgressToken returns ctx with the token that came with a request.
func withProgressToken(ctx context.Context, token json.RawMessage) context.Context {
	if len(token) == 0 || string(token) == "null" {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, token)
}

// startProgress begins to tell of a patch over that many files.
func (s *caller) startProgress(ctx context.Context, files int) *progress {
	token, given := ctx.Value(progressKey{}).(json.RawMessage)
	p := &progress{s: s, token: token, own: !given, total: files, ended: make(chan struct{})}
	if files < 2 || p.own && !s.client.Load().progress {
		return p
	}
	if p.own {
		p.token = json.RawMessage(fmt.Sprintf(`"patchls-%d"`, s.progressCount.Add(1)))
	}
	p.steps = make(chan int, files)
	s.spawn(p.tell)
	return p
}

// report says how many files are done.
func (p *progress) report(done int) {
	if p.steps != nil {
		p.steps <- done // there is room for all of them
	}
}

// end waits until the end was told where the request's own token demands it:
// that one is over with the answer.
func (p *progress) end() {
	if p.steps == nil {
		return
	}
	close(p.steps)
	if !p.own {
		<-p.ended
	}
}

func (p *progress) tell(ctx context.Context) {
	defer close(p.ended)
	if p.own {
		if _, err := p.s.conn.Call(ctx, protocol.MethodWindowWorkDoneProgressCreate, map[string]any{"token": p.token}, nil); err != nil {
			return // there is room for the reports
		}
	}
	p.send(ctx, map[string]any{"kind": "begin", "title": "Applying a patch", "cancellable": false, "percentage": 0})
	for done := range p.steps {
		p.send(ctx, map[string]any{
			"kind": "report", "message": fmt.Sprintf("%d of %d files", done, p.total), "percentage": done * 100 / p.total,
		})
	}
	p.send(ctx, map[string]any{"kind": "end"})
}

// to returns whom the reports are for: whoever sent the token, or else the person.
func (p *progress) to() jsonrpc2.Conn {
	if p.own {
		return p.s.conn
	}
	return p.s.back
}

func (p *progress) send(ctx context.Context, value map[string]any) {
	if err := p.to().Notify(ctx, protocol.MethodProgress, map[string]any{"token": p.token, "value": value}); err != nil {
		p.s.log.Debug("progress", "error", err)
	}
}
