package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

// greeting is initialize of a client that speaks a version of the protocol.
func greeting(id int, version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":%s,"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, id, version)
}

// TestErrorCodes: the code of an error is the one that JSON-RPC has for it, and never 0, which many clients take for no error. The
// message does not repeat all that was sent.
func TestErrorCodes(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		greeted    bool
		code       int
	}{
		{"a call before initialize", toolCall(1, "save", `{}`), false, -32600},
		{"the list before initialize", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, false, -32600},
		{"initialize without parameters", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, false, -32602},
		{"initialize with null", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, false, -32602},
		{"initialize with a list", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`, false, -32602},
		{"a version that is a number", greeting(1, "20250618"), false, -32602},
		{"capabilities that are a number", strings.Replace(greeting(1, `"2025-06-18"`), `"capabilities":{}`, `"capabilities":1`, 1), false, -32602},
		{"a client's version that is a number", strings.Replace(greeting(1, `"2025-06-18"`), `"version":"1"`, `"version":1`, 1), false, -32602},
		{"a second initialize", greeting(1, `"2025-06-18"`), true, -32600},
		{"a level that there is not", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"nope"}}`, true, -32602},
		{"a level that is a number", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":1}}`, true, -32602},
		{"a level without parameters", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel"}`, true, -32602},
		{"a call without parameters", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, true, -32602},
		{"a call with null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, true, -32602},
		{"a call with a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, true, -32602},
		{"a call with a long text", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"` + strings.Repeat("x", 50_000) + `"}`, true, -32602},
		{"a call without a name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, true, -32602},
		{"a tool that there is not", toolCall(1, "nope", `{}`), true, -32602},
		{"a method that there is not", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, true, -32601},
	} {
		r := startRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: newFake(done), Name: "fake"})})
		if tt.greeted {
			r.greet("raw")
		}
		r.say(tt.line)
		if a := r.answers(1)[0]; a.Error == nil || a.Error.Code != tt.code || string(a.ID) != "1" || a.Error.Message == "" || len(a.Error.Message) > 2000 {
			t.Errorf("%s: %s, want the code %d", tt.name, mustJSON(a), tt.code)
		}
	}
}

// TestVersions: a client gets the version that it asks for. The one that has batches, which are refused, is not offered.
func TestVersions(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2024-11-05", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2099-01-01": "2025-11-25",
	} {
		r := startRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: newFake(done), Name: "fake"})})
		r.say(greeting(1, fmt.Sprintf("%q", asked)))
		if a := r.answers(1)[0]; !strings.Contains(string(a.Result), `"protocolVersion":"`+want+`"`) {
			t.Errorf("asked for %s: %s", asked, mustJSON(a))
		}
	}
}

// Some shells write a byte order mark before the first line.
func TestByteOrderMark(t *testing.T) {
	r := startRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: newFake(done), Name: "fake"})})
	r.say("\ufeff" + greeting(1, `"2025-06-18"`))
	if a := r.answers(1)[0]; a.Error != nil {
		t.Errorf("initialize: %s", mustJSON(a))
	}
}

// TestOneLine: a message has no character at which a client may end a line, and arrives as it was sent.
func TestOneLine(t *testing.T) {
	const text = "a\u0085b\u2028c\u2029d\ve\ff\x1cg\x1dh\x1ei\r\nj\\u0085"
	for _, structured := range []bool{false, true} {
		r := newRaw(t, mcp.Options{Structured: structured, Connect: connectTo(mcp.Session{Editor: newFake(func(context.Context, agent.Call) (any, error) {
			return map[string]any{"message": text, "applied": true}, nil
		}), Name: "fake" + text})})
		r.say(toolCall(1, "save", `{}`), toolCall(`"`+"x\u0085y"+`"`, "save", `{}`))
		for n := 0; n < 2; {
			line := strings.TrimSuffix(<-r.lines, "\n")
			if strings.ContainsAny(line, "\u0085\u2028\u2029\v\f\x1c\x1d\x1e\r") {
				t.Errorf("sent %q", line)
			}
			var a struct {
				ID     any
				Result struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatal(err)
			}
			if a.ID != nil {
				n++
				if a.Result.Content[0].Text != text || a.ID != 1.0 && a.ID != "x\u0085y" {
					t.Errorf("%q answers with %q", a.ID, a.Result.Content[0].Text)
				}
			}
		}
	}
}

// TestProgress: a client that asks for it hears every 15 seconds of a call that is not done, and nothing after the answer.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(ctx context.Context, call agent.Call) (any, error) {
			time.Sleep(50 * time.Second) //nolint:forbidigo // in a bubble
			return done(ctx, call)
		})
		r := newRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: f, Name: "fake"})})
		with := strings.Replace(toolCall(1, "save", `{}`), `"params":{`, `"params":{"_meta":{"progressToken":"t"},`, 1)
		r.say(with, toolCall(2, "save", `{}`))
		started := time.Now()
		var got []string
		for range 5 {
			var m struct {
				ID     any
				Method string
				Params struct {
					ProgressToken any
					Progress      float64
				}
			}
			if err := json.Unmarshal([]byte(<-r.lines), &m); err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimSpace(fmt.Sprintln(time.Since(started), m.ID, m.Method, m.Params.ProgressToken, m.Params.Progress)))
		}
		slices.Sort(got)
		want := []string{
			"15s <nil> notifications/progress t 1", "1m40s 2  <nil> 0",
			"30s <nil> notifications/progress t 2", "45s <nil> notifications/progress t 3", "50s 1  <nil> 0",
		}
		if !slices.Equal(got, want) {
			t.Errorf("heard\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		select {
		case line := <-r.lines:
			t.Errorf("after the answers it hears %s", line)
		default:
		}
		r.leave()
	})
}
