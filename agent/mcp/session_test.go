package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
)

// structured returns the structured content of a result as JSON.
func structured(r *sdk.CallToolResult) string { return mustJSON(r.StructuredContent) }

func TestErrorContent(t *testing.T) {
	data, _ := json.Marshal(map[string]any{"kind": "no_match", "path": "a.txt", "candidates": []map[string]any{
		{"start_line": 3, "end_line": 3, "similarity": .9, "difference": "indentation", "text": "\tone\n"}}})
	f := newFake(func(context.Context, agent.Call) (any, error) {
		return nil, &jsonrpc2.Error{Code: -32803, Message: "Text not found in a.txt.", Data: data}
	})
	c := client(t, mcp.Options{Structured: true, Connect: connectTo(mcp.Session{Editor: f, Name: "fake", Notes: []string{"Mind the gap."}})}, nil)
	r := call(t, c, "str_replace", `{"path":"a.txt","old_str":"one"}`)
	equal(t, "text", said(t, r), "note: Mind the gap.\nError: Text not found in a.txt.\nlines 3-3, 90% alike:\n     3\t\tone")
	contains(t, "structured content", structured(r), `"kind":"no_match"`, `"message":"Text not found in a.txt."`, `"similarity":0.9`)
	equal(t, "arguments", f.arguments(t, "str_replace"), `{"path":"a.txt","old_str":"one"}`)
}

// Each call asks for its editor, by the file that it is about.
func TestConnectPath(t *testing.T) {
	f := newFake(func(_ context.Context, call agent.Call) (any, error) {
		return map[string]any{"message": "Done.", "applied": true}, nil
	})
	var mu sync.Mutex
	var asked []string
	c := client(t, mcp.Options{Connect: func(_ context.Context, _ agent.ClientInfo, about agent.About) (mcp.Session, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, fmt.Sprint(about))
		return mcp.Session{Editor: f, Name: "fake"}, nil
	}}, nil)
	for _, tt := range [][2]string{
		{"write", `{"path":" a.txt ","content":"x"}`},
		{"undo", `{"edit_id":"e1"}`},
		{"save", `{"paths":["b.txt","c.txt"]}`},
		{"apply_patch", mustJSON(map[string]string{"patch": "--- a/d.txt\n+++ b/d.txt\n@@ -1 +1 @@\n-1\n+2\n"})},
		{"apply_patch", `{"patch":"@@\n-1\n+2\n","path":"e.txt"}`},
		{"apply_patch", `{"patch":"nonsense"}`},
		{"write", `{"path":7}`},
		{"write", `{"path":{}}`},
		{"save", `{"paths":"f.txt"}`},
		{"save", `{"paths":"[\"g.txt\"]"}`},
	} {
		call(t, c, tt[0], tt[1])
	}
	equal(t, "asked", strings.Join(asked, "|"), "{[a.txt] false  true false}|{[] false e1 true false}|{[b.txt c.txt] false  true true}|{[d.txt] false  true false}|{[e.txt] false  true false}|{[] false  true false}|{[7] false  true false}|{[] false  true false}|{[f.txt] false  true true}|{[g.txt] false  true true}")
}

// Notes are first in every answer, and with the data.
func TestNotes(t *testing.T) {
	w := newWorld(t, "", "a.txt", "one\n")
	note := "No editor is running."
	c := client(t, mcp.Options{Structured: true, Connect: connectTo(mcp.Session{Editor: w.editor, Name: "headless", Notes: []string{note}})}, nil)
	for _, tt := range [][2]string{{"view", `{"path":"a.txt"}`}, {"list", `{}`}, {"str_replace", `{"path":"a.txt","old_str":"one","new_str":"two"}`}, {"undo", `{"edit_id":"e9"}`}} {
		r := call(t, c, tt[0], tt[1])
		if got := said(t, r); !strings.HasPrefix(got, "note: "+note+"\n") {
			t.Errorf("%s: the note is not first: %s", tt[0], got)
		}
		if tt[0] == "view" || tt[0] == "str_replace" {
			contains(t, tt[0], structured(r), `"notes":["`+note+`"]`)
		}
	}
}

// A call that did not reach its editor goes to the next one; one that may have,
// does not.
func TestEditorGone(t *testing.T) {
	done := func(context.Context, agent.Call) (any, error) {
		return map[string]any{"message": "Done.", "applied": true}, nil
	}
	notSent := func(context.Context, agent.Call) (any, error) { return nil, fmt.Errorf("dial: %w", agent.ErrNotSent) }
	broken := func(context.Context, agent.Call) (any, error) { return nil, errors.New("connection reset") }
	type answer = func(context.Context, agent.Call) (any, error)
	for _, tt := range []struct {
		name    string
		editors []answer
		tool    string
		want    string
		kind    string
	}{
		{"the next one", []answer{notSent, done}, "write", "Done.", ""},
		{"none", []answer{notSent}, "write", "Error: The editor is gone, and nothing was done: dial: the command was not sent.", "editor_gone"},
		{"after the call", []answer{broken, done}, "write", "Error: The editor is gone, and it is not known whether the edit was made: view the text before you go on (connection reset).", "editor_gone"},
		{"while reading", []answer{broken, done}, "view", "Error: The editor is gone, and nothing was done: connection reset.", "editor_gone"},
		{"nothing to connect to", nil, "view", "Error: no editor", "editor_gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			c := client(t, mcp.Options{Structured: true, Connect: func(context.Context, agent.ClientInfo, agent.About) (mcp.Session, error) {
				if len(tt.editors) == 0 {
					return mcp.Session{}, errors.New("no editor")
				}
				e := newFake(tt.editors[min(asked, len(tt.editors)-1)])
				asked++
				return mcp.Session{Editor: e, Name: fmt.Sprint("editor ", asked)}, nil
			}}, nil)
			r := call(t, c, tt.tool, `{"path":"a.txt"}`)
			equal(t, "said", said(t, r), tt.want)
			if tt.kind != "" {
				contains(t, "structured content", structured(r), `"kind":"`+tt.kind+`"`)
			}
		})
	}
}

// An error of Connect that has a kind keeps it.
func TestConnectRefuses(t *testing.T) {
	c := client(t, mcp.Options{Structured: true, Connect: func(context.Context, agent.ClientInfo, agent.About) (mcp.Session, error) {
		return mcp.Session{}, fmt.Errorf("no: %w", commandError("outside_workspace", "a.txt is outside the workspace."))
	}}, nil)
	r := call(t, c, "view", `{"path":"a.txt"}`)
	equal(t, "said", said(t, r), "Error: a.txt is outside the workspace.")
	contains(t, "structured content", structured(r), `"kind":"outside_workspace"`)
}

// Clients that ask for logs are notified when editors come and go.
func TestLog(t *testing.T) {
	for _, protocol := range []string{today, next} {
		t.Run(protocol, func(t *testing.T) { testLog(t, protocol) })
	}
}

func testLog(t *testing.T, protocol string) {
	gone := true
	f := newFake(func(context.Context, agent.Call) (any, error) {
		if gone = !gone; gone {
			return nil, agent.ErrNotSent
		}
		return map[string]any{"message": "Done."}, nil
	})
	messages := make(chan string, 10)
	c := clientOf(t, protocol, mcp.Options{Connect: connectTo(mcp.Session{Editor: f, Name: "Neovim (pid 7)", Notes: []string{"By the way."}})}, &sdk.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, req *sdk.LoggingMessageRequest) {
			messages <- fmt.Sprint(req.Params.Level, ": ", req.Params.Data)
		},
	})
	params := &sdk.CallToolParams{Name: "write", Arguments: json.RawMessage(`{"path":"a.txt"}`)}
	if protocol == today {
		if err := c.SetLoggingLevel(context.Background(), &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if protocol == next {
			params.Meta = sdk.Meta{"io.modelcontextprotocol/logLevel": "info"}
		}
		if _, err := c.CallTool(context.Background(), params); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"info: Connected to Neovim (pid 7). By the way.", "warning: Neovim (pid 7) is gone.", "info: Connected to Neovim (pid 7). By the way."} {
		select {
		case got := <-messages:
			equal(t, "log", got, want)
		case <-time.After(patience):
			t.Fatalf("no message %q", want)
		}
	}
}

// TestServeEndsWithItsContext: a call in flight is cancelled, and nothing is logged.
func TestServeEndsWithItsContext(t *testing.T) {
	began := make(chan struct{})
	f := newFake(func(ctx context.Context, _ agent.Call) (any, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	var log bytes.Buffer
	s, err := mcp.New(mcp.Options{
		Connect: connectTo(mcp.Session{Editor: f, Name: "fake"}),
		Log:     slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	served := serve(ctx, s, in, discard{})
	_, err = io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+today+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"view","arguments":{"path":"a"}}}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	<-began
	cancel()
	select {
	case err := <-served:
		if err != nil || log.Len() > 0 {
			t.Errorf("error %v, log %s", err, &log)
		}
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
}

// discard is an output that is thrown away.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

func TestCancel(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	f := newFake(func(ctx context.Context, _ agent.Call) (any, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	c := client(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: f, Name: "fake"})}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-began; cancel() }()
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "view", Arguments: json.RawMessage(`{"path":"a"}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the command ended with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the command was not cancelled")
	}
}
