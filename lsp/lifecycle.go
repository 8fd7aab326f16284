package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
)

// lifecycle is how far the client has brought the server (LSP, "Server
// lifecycle").
type lifecycle struct{ phase atomic.Int32 }

const (
	created int32 = iota // waits for initialize
	running
	stopped // shutdown was asked for, exit comes next
)

func (l *lifecycle) state() int32    { return l.phase.Load() }
func (l *lifecycle) enter(now int32) { l.phase.Store(now) }

// parentPoll is how often the client's process is looked at.
const parentPoll = 3 * time.Second

// routeTable is everything that the server understands.
func (s *server) routeTable() map[string]route {
	return map[string]route{
		protocol.MethodInitialize:    {call: s.initialize},
		protocol.MethodInitialized:   {notify: s.initialized},
		protocol.MethodShutdown:      {call: s.shutdown},
		protocol.MethodExit:          {notify: func([]byte) error { s.exit(); return nil }},
		protocol.MethodSetTrace:      {notify: s.setTrace},
		protocol.MethodCancelRequest: {notify: s.cancelRequest},

		protocol.MethodTextDocumentDidOpen:   {notify: s.didOpen},
		protocol.MethodTextDocumentDidChange: {notify: s.didChange},
		protocol.MethodTextDocumentDidSave:   {notify: s.didSave},
		protocol.MethodTextDocumentDidClose:  {notify: s.didClose},

		protocol.MethodWorkspaceDidChangeWorkspaceFolders: {notify: s.didChangeWorkspaceFolders},
		protocol.MethodWorkspaceDidChangeConfiguration:    {notify: s.didChangeConfiguration},
		protocol.MethodWorkspaceDidChangeWatchedFiles:     {notify: s.didChangeWatchedFiles},
		protocol.MethodTextDocumentDiagnostic:             {call: s.diagnostic},
		protocol.MethodTextDocumentCodeLens:               {call: s.codeLens},
		protocol.MethodTextDocumentCodeAction:             {call: s.codeAction},
		protocol.MethodTextDocumentHover:                  {call: s.hover},
		protocol.MethodWorkspaceTextDocumentContent:       {call: s.textDocumentContent},
		protocol.MethodWorkspaceExecuteCommand:            {call: s.self.executeCommand},
		methodExecute:                                     {call: s.self.executeCommand},
		methodSynced:                                      {call: s.synced},
	}
}

// initializeParams is what the server reads of InitializeParams.
type initializeParams struct {
	editor.Params
	ProcessID             *int              `json:"processId"`
	RootPath              string            `json:"rootPath"`
	RootURI               string            `json:"rootUri"`
	WorkspaceFolders      []workspaceFolder `json:"workspaceFolders"`
	InitializationOptions json.RawMessage   `json:"initializationOptions"`
}

func (s *server) initialize(_ context.Context, params []byte) (work, error) {
	var p initializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "initialize: %v", err)
	}
	c := editor.New(p.Params)
	s.client.Store(c)
	s.encoding = c.Encoding
	s.setRoots(p.roots())
	s.initial = s.readSettings(s.settings.Load(), p.InitializationOptions)
	s.use(s.initial)
	s.lifecycle.enter(running)
	if p.ProcessID != nil && *p.ProcessID > 0 {
		s.spawn(func(ctx context.Context) { s.watchParent(ctx, *p.ProcessID) })
	}
	s.log.Info("initialize", "client", c.Name, "version", c.Version, "encoding", c.Encoding)
	return func(context.Context) (any, error) { return s.initializeResult(c), nil }, nil
}

// initializeResult says what the server can. A position encoding is named only
// where the client listed some: VS Code fails on one that it did not list.
func (s *server) initializeResult(c *editor.Editor) protocol.InitializeResult {
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	r := protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "patchls", Version: protocol.NewOptional(s.opts.Version)},
		Capabilities: protocol.ServerCapabilities{
			TextDocumentSync: &protocol.TextDocumentSyncOptions{
				OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{IncludeText: &yes},
			},
			Workspace: &protocol.WorkspaceOptions{
				WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
					Supported: &yes, ChangeNotifications: protocol.Boolean(true),
				},
				TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{proposal.Scheme}},
			},
			CodeLensProvider:   &protocol.CodeLensOptions{},
			CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
			HoverProvider:      protocol.Boolean(true),
		},
	}
	if c.CanFlush() {
		r.Capabilities.DiagnosticProvider = &protocol.DiagnosticOptions{}
	}
	r.Capabilities.Experimental = c.Plugin.Offered()
	if c.EncodingListed {
		r.Capabilities.PositionEncoding = protocol.PositionEncodingKind(c.Encoding.String())
	}
	if s.settings.Load().AdvertiseCommands {
		r.Capabilities.ExecuteCommandProvider.Commands = commandNames()
	}
	return r
}

func (s *server) initialized([]byte) error {
	s.spawn(s.tellAll)
	if s.client.Load().Configuration {
		s.spawn(s.pullConfiguration) // and the endpoint is opened with what it says
	} else {
		s.updateEndpoint()
	}
	if s.client.Load().WatchesFiles {
		s.spawn(s.watchFiles)
	}
	return nil
}

func (s *server) shutdown(context.Context, []byte) (work, error) {
	s.lifecycle.enter(stopped)
	return func(context.Context) (any, error) { return nil, nil }, nil
}

// watchParent ends the server when the client's process has ended.
func (s *server) watchParent(ctx context.Context, pid int) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.opts.After(parentPoll):
			if !s.opts.ParentAlive(pid) {
				s.log.Warn("the client's process has ended", "pid", pid)
				s.exit()
				return
			}
		}
	}
}

// cancelRequest takes the id as it stands: one that is no id is no error.
func (d *dispatcher) cancelRequest(params []byte) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	var number int64
	if err := json.Unmarshal(p.ID, &number); err == nil {
		d.calls.cancel(jsonrpc2.NewNumberID(number))
		return nil
	}
	var name string
	if err := json.Unmarshal(p.ID, &name); err != nil {
		return fmt.Errorf("no request has the id %s", p.ID)
	}
	d.calls.cancel(jsonrpc2.NewStringID(name))
	return nil
}

// synced is the barrier patchls/synced: it is taken in after every notification
// that was sent before it. A document that is sent along is the editor's text, so
// what is here is in step with it again.
func (s *server) synced(_ context.Context, params []byte) (work, error) {
	var p struct {
		TextDocument *struct {
			URI     string  `json:"uri"`
			Version *int32  `json:"version"`
			Text    *string `json:"text"`
		} `json:"textDocument"`
	}
	if err := json.Unmarshal(params, &p); err != nil && len(params) > 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", methodSynced, err)
	}
	if d := p.TextDocument; d != nil && d.Text != nil {
		doc, err := s.open(d.URI)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", methodSynced, err)
		}
		s.docs.Put(doc.Sent(d.Version, text.New(*d.Text)))
	}
	return func(context.Context) (any, error) { return nil, nil }, nil
}
