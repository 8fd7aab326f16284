// Package mcp is the door for agents that speak the Model Context Protocol: it
// offers the commands of lsp as tools, in the dialect that a model knows, and the
// open documents as resources.
//
// What never lives here: how an edit is found, which editor is reached, and how. A
// call is carried to the editor that Options.Connect gives for it.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
)

// maxMessage bounds one message of a client: the largest document that a server
// edits by default, with room for JSON's escapes.
const maxMessage = 128 << 20

// Options are what a server needs.
type Options struct {
	Version string
	Dialect string       // one of [Dialects]; "" is native
	Log     *slog.Logger // nil discards

	// Connect returns the editor for a path or URI, and for "" the one for whatever
	// names no file. It is asked for every call, and once more if that editor turns
	// out to be gone. It may wait, as long as ctx goes on. It is safe for concurrent
	// use. The editor stays the caller's: it is not closed here. An error is told to
	// the model as it is; a *jsonrpc2.Error has an lsp.ErrorData, as a server's do.
	Connect func(ctx context.Context, path string) (Session, error)
}

// Session is where a call is carried out.
type Session struct {
	Editor agent.Editor
	// Name is what the log calls the editor: another name is another editor.
	Name string
	// Notes are said with every result, such as that no editor is running.
	Notes []string
}

// Server offers tools and resources to clients. It is safe for concurrent use.
type Server struct {
	opts  Options
	sdk   *sdk.Server
	names names
	order order
	docs  documents

	base       context.Context // of what goes on beside the calls
	cancel     context.CancelFunc
	background sync.WaitGroup
}

// New returns a server of the dialect; the error says which ones there are.
// Nothing is connected before the first call.
func New(opts Options) (*Server, error) {
	tools, err := dialectTools(cmp.Or(opts.Dialect, native))
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.docs.server, s.docs.poked = s, make(chan struct{}, 1)
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "patchls", Title: "patchls", Version: opts.Version}, &sdk.ServerOptions{
		Instructions: instructions(opts.Dialect),
		Logger:       opts.Log,
		Capabilities: &sdk.ServerCapabilities{
			Logging:   &sdk.LoggingCapabilities{},
			Tools:     &sdk.ToolCapabilities{},
			Resources: &sdk.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
		SubscribeHandler:   s.docs.subscribe,
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		// What a person types is for nobody else, and old at once.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs, c.CacheScope = 0, "private" },
	})
	s.sdk.AddReceivingMiddleware(s.docs.receive)
	for _, t := range tools {
		s.sdk.AddTool(t.Tool, s.handler(t))
	}
	return s, nil
}

// Serve serves one client, a JSON message per line, until it leaves, which is no
// error, or ctx is done. It closes in and out, and returns when nothing of it is
// left running; a Read of in that Close does not end stays behind. It is called
// once.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer s.end()
	var left atomic.Bool
	err := s.sdk.Run(ctx, ordered{&sdk.IOTransport{Reader: clientIn{in, &left}, Writer: clientOut{out, &left}, MaxLineLength: maxMessage}, &s.order})
	if left.Load() {
		return nil // a client may leave in the middle of what it is told
	}
	return err
}

// clientIn knows when nothing more comes from a client.
type clientIn struct {
	io.ReadCloser
	left *atomic.Bool
}

func (c clientIn) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		c.left.Store(true)
	}
	return n, err
}

// clientOut knows when nothing more goes to a client, which closes both in any
// order.
type clientOut struct {
	io.WriteCloser
	left *atomic.Bool
}

func (c clientOut) Write(p []byte) (int, error) {
	n, err := c.WriteCloser.Write(p)
	if err != nil {
		c.left.Store(true)
	}
	return n, err
}

// end ends what goes on beside the calls.
func (s *Server) end() {
	s.cancel()
	s.background.Wait()
}
