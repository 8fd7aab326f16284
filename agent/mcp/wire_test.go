package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
)

func done(context.Context, agent.Call) (any, error) {
	return map[string]any{"message": "Done.", "applied": true}, nil
}

// A line that is no message gets the error of JSON-RPC, and the connection stays.
func TestNoMessage(t *testing.T) {
	r := newRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: newFake(done), Name: "fake"})})
	const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
	for _, tt := range []struct {
		line string
		code int
		id   string
	}{
		{`not json`, -32700, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, -32700, "null"},
		{ping + ` ` + ping, -32700, "null"},
		{`5`, -32600, "null"},
		{`null`, -32600, "null"},
		{`[]`, -32600, "null"},
		{`[` + ping + `]`, -32600, "null"},
		{`{}`, -32600, "null"},
		{`{"id":7,"method":"ping"}`, -32600, "7"},
		{`{"id":"seven","method":"ping"}`, -32600, `"seven"`},
		{`{"jsonrpc":"2.0","id":7,"method":7}`, -32600, "7"},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "1.5"},
		{`{"jsonrpc":"2.0","method":"ping","id":9007199254740993}`, -32600, "9007199254740993"},
		{`{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`, -32600, "99999999999999999999"},
	} {
		r.say(tt.line, "", ping)
		all := r.answers(2)
		if all[0].Error == nil || all[0].Error.Code != tt.code || string(all[0].ID) != tt.id || all[0].Error.Message == "" {
			t.Errorf("%s: %s", tt.line, mustJSON(all[0]))
		}
		if all[1].Error != nil || string(all[1].ID) != `"ping"` {
			t.Errorf("after %s: %s", tt.line, mustJSON(all[1]))
		}
	}
}

// An id that is in use is refused, and does not disturb the request that has it.
func TestIDTwice(t *testing.T) {
	slow := make(chan struct{})
	f := newFake(func(ctx context.Context, call agent.Call) (any, error) {
		<-slow
		return done(ctx, call)
	})
	r := newRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: f, Name: "fake"})})
	r.say(toolCall(1, "save", `{}`), toolCall(1, "save", `{}`))
	if a := r.answers(1)[0]; a.Error == nil || a.Error.Code != -32600 || string(a.ID) != "null" {
		t.Errorf("the second: %s", mustJSON(a))
	}
	close(slow)
	if a := r.answers(1)[0]; a.Error != nil || string(a.ID) != "1" {
		t.Errorf("the first: %s", mustJSON(a))
	}
}

// Requests that the client sent before the end of its output are run and answered.
func TestAnsweredAfterEOF(t *testing.T) {
	const n = 20
	f := newFake(func(ctx context.Context, call agent.Call) (any, error) {
		call.OnSend()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond): // in which the end can be noticed
			return done(ctx, call)
		}
	})
	r := newRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: f, Name: "fake"})})
	lines, _ := numbered(n)
	if _, err := io.WriteString(r.in, strings.Join(lines, "\n")); err != nil { // the last one has no end
		t.Fatal(err)
	}
	_ = r.in.Close()
	for _, a := range r.answers(n) {
		if !strings.Contains(string(a.Result), "Done.") {
			t.Errorf("%s: %s", a.ID, mustJSON(a))
		}
	}
	r.leave()
}

func TestLineTooLong(t *testing.T) {
	const most = 100
	fits := strings.Repeat("x", most-1) + "\n"
	next := mcp.Lines(strings.NewReader(fits+"x"+fits+"a\n"+fits+fits[:50]), most)
	for _, want := range []string{fits, "", "a\n", fits, fits[:50]} {
		text, err := next()
		if string(text) != want {
			t.Errorf("read %q %v, want %q", text, err, want)
		}
		wrong, refused := errors.AsType[*jsonrpc.Error](err)
		if refused != (want == "") || refused && !strings.Contains(wrong.Message, fmt.Sprint(most)) {
			t.Errorf("read %q: %v", text, err)
		}
	}
	if text, err := next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %q %v", text, err)
	}
}
