package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
)

// patience bounds every wait of a test that is to end by an event.
const patience = time.Minute

// fake is an editor that answers what a test says.
type fake struct {
	answer func(ctx context.Context, call agent.Call) (any, error)

	mu    sync.Mutex
	calls []agent.Call
}

func newFake(answer func(ctx context.Context, call agent.Call) (any, error)) *fake {
	return &fake{answer: answer}
}

func (f *fake) Execute(ctx context.Context, call agent.Call) (json.RawMessage, error) {
	f.mu.Lock()
	f.calls = append(f.calls, call)
	f.mu.Unlock()
	answer, err := f.answer(ctx, call)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

func (f *fake) Close() error { return nil }

// arguments returns those of the only call of a command.
func (f *fake) arguments(t *testing.T, command string) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	found := ""
	for _, c := range f.calls {
		if c.Command == command {
			raw, err := json.Marshal(c.Arguments)
			if err != nil || found != "" {
				t.Fatalf("%s: %v, %v", command, f.calls, err)
			}
			found = string(raw)
		}
	}
	return found
}

// embedded is a real server with the headless editor at its other end.
type embedded struct{ *headless.Editor }

func startEmbedded(ctx context.Context, root string) (embedded, error) {
	server, client := net.Pipe()
	go func() { _ = lsp.Serve(ctx, server, lsp.Options{}) }()
	// A machine with much to do may take long over a wide patch, which is no fault of the answer.
	e, err := headless.Start(ctx, client, headless.Options{Roots: []string{root}, Settings: map[string]any{"apply_timeout_ms": patience.Milliseconds()}})
	return embedded{e}, err
}

func (e embedded) Execute(ctx context.Context, call agent.Call) (json.RawMessage, error) {
	return e.Editor.Execute(ctx, "patchls."+call.Command, call.Arguments)
}

// commandError is an error as a server answers it.
func commandError(kind, message string) error {
	data, _ := json.Marshal(map[string]string{"kind": kind})
	return &jsonrpc2.Error{Code: -32803, Message: message, Data: data}
}

func connectTo(session mcp.Session) func(context.Context, agent.ClientInfo, agent.About) (mcp.Session, error) {
	return func(context.Context, agent.ClientInfo, agent.About) (mcp.Session, error) { return session, nil }
}

// world is a folder with files, a real server and a client of the MCP server.
type world struct {
	*testing.T
	root   string
	editor embedded
	*sdk.ClientSession
}

// newWorld makes the files, which are given as name and text in turn.
func newWorld(t *testing.T, dialect string, files ...string) *world {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(root, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, err := startEmbedded(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	isNative := dialect == "" || dialect == "native"
	return &world{t, root, e, client(t, mcp.Options{
		Dialect: dialect, Structured: isNative, ReviewTools: isNative, Connect: connectTo(mcp.Session{Editor: e, Name: "headless"}),
	}, nil)}
}

// The protocol version that clients speak today, and the next one, which has no
// sessions: with it a client asks for the notifications that it wants.
const (
	today = "2025-11-25"
	next  = "2026-07-28"
)

// serve serves one client, and closes in and out when the server has ended, as the end of a process does.
func serve(ctx context.Context, s *mcp.Server, in io.ReadCloser, out io.WriteCloser) (served chan error) {
	served = make(chan error, 1)
	go func() {
		err := s.Serve(ctx, in, out)
		served <- errors.Join(err, in.Close(), out.Close())
	}()
	return served
}

// client returns a client of a new server that speaks the protocol of today.
func client(t *testing.T, opts mcp.Options, handlers *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	return clientOf(t, today, opts, handlers)
}

// clientOf returns a client of a new server, connected through pipes as stdio is.
func clientOf(t *testing.T, protocol string, opts mcp.Options, handlers *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	s, err := mcp.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := serve(ctx, s, fromClient, toClient)
	if handlers == nil {
		handlers = &sdk.ClientOptions{}
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, handlers).
		Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		if err := c.Close(); err != nil {
			t.Errorf("the client: %v", err)
		}
		select {
		case err := <-served:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(patience):
			t.Error("Serve does not end with its client")
		}
	})
	return c
}

// call calls a tool, with arguments as JSON.
func call(t *testing.T, c *sdk.ClientSession, name, arguments string) *sdk.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return r
}

// did calls a tool that must succeed, and returns what it said.
func (w *world) did(name, arguments string) string {
	w.Helper()
	r := call(w.T, w.ClientSession, name, arguments)
	if r.IsError {
		w.Fatalf("%s %s: %s", name, arguments, said(w.T, r))
	}
	return said(w.T, r)
}

// failed calls a tool that must fail, and returns what it said.
func (w *world) failed(name, arguments string) string {
	w.Helper()
	r := call(w.T, w.ClientSession, name, arguments)
	if !r.IsError {
		w.Fatalf("%s %s did not fail: %s", name, arguments, said(w.T, r))
	}
	return said(w.T, r)
}

// buffer returns the text that the editor has.
func (w *world) buffer(path string) string {
	w.Helper()
	b, ok := w.editor.Buffer(path)
	if !ok {
		w.Fatalf("%s is not open", path)
	}
	return b.Text()
}

func said(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents, want one", len(r.Content))
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("content %T, want text", r.Content[0])
	}
	return text.Text
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

func contains(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s:\n%s\nwant in it\n%s", what, got, w)
		}
	}
}
