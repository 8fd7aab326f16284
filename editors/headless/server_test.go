package headless

import (
	"context"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/wire"
)

// start returns an editor on a running server; script may set the server up.
func start(t *testing.T, opts Options, script func(*fakeserver.Server)) (*Editor, *fakeserver.Server) {
	t.Helper()
	return startTraced(t, opts, script, nil, nil)
}

// startTraced is like start, and calls sending before each message is written, and received before each is read.
func startTraced(t *testing.T, opts Options, script func(*fakeserver.Server), sending, received func(message []byte)) (*Editor, *fakeserver.Server) {
	t.Helper()
	s, pipe := fakeserver.New(t)
	if script != nil {
		script(s)
	}
	go s.Run()
	e, err := Start(t.Context(), &wire.Conn{ReadWriteCloser: pipe, Sending: sending, Received: received}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		_ = s.Conn.Close()
		<-s.Done
	})
	return e, s
}

// told are the editor's own habits, with other parameters of initialize.
type told struct {
	Habits
	initialize func(*protocol.InitializeParams)
}

func tells(initialize func(*protocol.InitializeParams)) func(*Editor, Habits) Habits {
	return func(_ *Editor, own Habits) Habits { return told{own, initialize} }
}

func (h told) Initialize(p *protocol.InitializeParams) { h.initialize(p) }

// encodings has the editor offer these encodings, none if there are none.
func encodings(names ...protocol.PositionEncodingKind) func(*Editor, Habits) Habits {
	return tells(func(p *protocol.InitializeParams) {
		if p.Capabilities.General = nil; len(names) > 0 {
			p.Capabilities.General = &protocol.GeneralClientCapabilities{PositionEncodings: names}
		}
	})
}

// decided has apply answer workspace/applyEdit. next applies the edit as the editor's own habits do.
type decided struct {
	Habits
	e     *Editor
	apply func(ctx context.Context, e *Editor, p *ApplyEditParams, n next) (any, error)
}

func decides(apply func(context.Context, *Editor, *ApplyEditParams, next) (any, error)) func(*Editor, Habits) Habits {
	return func(e *Editor, own Habits) Habits { return decided{own, e, apply} }
}

func (d decided) Apply(ctx context.Context, r *Request, p *ApplyEditParams) (any, error) {
	r.Pass()
	return d.apply(ctx, d.e, p, func(p *ApplyEditParams) ApplyEditResult {
		response, _ := d.Habits.Apply(ctx, r, p)
		return response.(ApplyEditResult)
	})
}

func at(line, char, toLine, toChar int, s string) TextEdit {
	from, to := protocol.Position{Line: uint32(line), Character: uint32(char)}, protocol.Position{Line: uint32(toLine), Character: uint32(toChar)}
	return TextEdit{Range: protocol.Range{Start: from, End: to}, NewText: s}
}

// editOf returns the edit that replaces the bytes [start,end) of s.
func editOf(s string, start, end int, encoding, insert string) TextEdit {
	line, char := fakeserver.Position(s, start, encoding)
	toLine, toChar := fakeserver.Position(s, end, encoding)
	return at(line, char, toLine, toChar, insert)
}
