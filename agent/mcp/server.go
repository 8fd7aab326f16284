// Package mcp is the endpoint for agents that speak the Model Context Protocol: it
// offers the commands of lsp as tools, in the dialect that a model knows.
//
// What never lives here: how an edit is found, which editor is reached, and how. A
// call is carried to the editor that Options.Connect gives for it.
package mcp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
)

// Options are what a server needs.
type Options struct {
	Version string
	Dialect string       // one of [Dialects]; "" is native
	Log     *slog.Logger // nil discards
	// Structured makes native tools answer with data as well, for clients that are programs. Of the clients
	// with a model, some show only the data and some show both.
	Structured bool
	// ReviewTools offers keep and revert, with which programs review edits. Otherwise only the user does.
	ReviewTools bool

	// Connect returns the editor for a call of a client, by what the call names. It is called for every call, and up to two
	// more times if that editor turns out to be gone. It may wait until ctx ends. It must be safe for concurrent use. The
	// editor remains the caller's: it is not closed here. The model gets the message of an error; a *jsonrpc2.Error has a
	// transaction.ErrorData, as a server's errors do.
	Connect func(ctx context.Context, client agent.ClientInfo, about agent.About) (Session, error)
}

// Session is where a call is carried out.
type Session struct {
	Editor agent.Editor
	// Name is what the log calls the editor: another name is another editor.
	Name string
	// Notes come first in every answer, such as that no editor is running. Edited, if not
	// empty, replaces Notes in the answer to a call that changed a text.
	Notes, Edited []string
}

// Server offers tools to clients. It is safe for concurrent use.
type Server struct {
	opts  Options
	sdk   *sdk.Server
	there sync.Map // names of editors that calls have reached, and that are not known to be gone
	order order
}

// New returns a server of the dialect; the error says which ones there are. Nothing is connected before the first call.
func New(opts Options) (*Server, error) {
	tools, err := dialectTools(cmp.Or(opts.Dialect, native), opts)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "patchls", Title: "patchls", Version: opts.Version}, &sdk.ServerOptions{
		Instructions: instructions(opts.Dialect),
		Logger:       opts.Log,
		Capabilities: &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{}, Tools: &sdk.ToolCapabilities{}},

		SupportedProtocolVersions: slices.DeleteFunc(sdk.SupportedProtocolVersions(), func(v string) bool { return v == withBatches }),
	})
	s.sdk.AddReceivingMiddleware(checked)
	for _, t := range tools {
		s.sdk.AddTool(t.Tool, s.handler(t))
	}
	return s, nil
}

// withBatches is the only version of the protocol that has several messages in one line. No client is known that sends
// them. So a client that asks for this version is offered the one before it, which all those clients speak as well.
const withBatches, beforeBatches = "2025-03-26", "2024-11-05"

// levels are the levels of log messages.
var levels = []sdk.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// checked does what the SDK leaves out before it handles a request.
func checked(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch p := req.GetParams().(type) {
		case *sdk.InitializeParams:
			if p.ProtocolVersion == withBatches {
				p.ProtocolVersion = beforeBatches
			}
		case *sdk.SetLoggingLevelParams:
			if !slices.Contains(levels, p.Level) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown level %q: the levels are %q", p.Level, levels)}
			}
		}
		return next(ctx, method, req)
	}
}

// Serve serves one client, a JSON message per line, until it leaves or ctx is done. Neither is an error. Requests that a
// client sent before it left are still answered, for up to half a minute. Serve returns when its goroutines have ended,
// except for a pending Read of in. It must be called only once.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &client{
		in: in, out: out, order: &s.order, lines: make(chan line), underWay: map[jsonrpc.ID]func(){},
		wake: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	defer context.AfterFunc(ctx, func() { _ = c.Close() })() // the SDK does not take this for an error
	err := s.sdk.Run(context.WithoutCancel(ctx), c)
	if c.broken.Load() || ctx.Err() != nil {
		return nil // it may have ended in the middle of a message
	}
	return err
}

// log sends a message to the clients that want messages of its level.
func (s *Server) log(ctx context.Context, level sdk.LoggingLevel, message string) {
	for session := range s.sdk.Sessions() {
		_ = session.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: "patchls", Data: message}) // a client that is gone needs none
	}
}
