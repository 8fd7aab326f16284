package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// parentPoll is how often the client's process is checked.
const parentPoll = 3 * time.Second

// routeTable returns the routes of all methods that the server supports.
func (s *server) routeTable() map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodInitialize:    {Call: s.initialize},
		protocol.MethodInitialized:   {Notify: s.initialized},
		protocol.MethodShutdown:      {Call: shutdown(s.requests)},
		protocol.MethodExit:          {Notify: func([]byte) error { s.exit(); return nil }},
		protocol.MethodCancelRequest: {Notify: s.requests.CancelRequest},

		protocol.MethodTextDocumentDidOpen:   {Notify: s.mirror.didOpen},
		protocol.MethodTextDocumentDidChange: {Notify: s.mirror.didChange},
		protocol.MethodTextDocumentDidSave:   {Notify: s.mirror.didSave},
		protocol.MethodTextDocumentDidClose:  {Notify: s.mirror.didClose},

		protocol.MethodWorkspaceDidChangeWorkspaceFolders: {Notify: s.didChangeWorkspaceFolders},
		protocol.MethodWorkspaceDidChangeConfiguration:    {Notify: s.didChangeConfiguration},
		protocol.MethodWorkspaceDidChangeWatchedFiles:     {Notify: s.mirror.didChangeWatchedFiles},
		methodNotText:                               {Notify: s.notText},
		protocol.MethodTextDocumentDiagnostic:       {Call: diagnostic},
		protocol.MethodTextDocumentCodeLens:         showing(s, s.codeLens),
		protocol.MethodTextDocumentCodeAction:       showing(s, s.codeAction),
		protocol.MethodWorkspaceTextDocumentContent: {Call: s.textDocumentContent},
		protocol.MethodWorkspaceExecuteCommand:      {Call: s.self.executeCommand},
		methodExecute:                               {Call: s.self.executeCommand},
		methodSynced:                                {Call: s.mirror.synced},
		methodMerged:                                {Call: s.disk.merged},
	}
}

// initializeParams is the part of InitializeParams that the server reads.
type initializeParams struct {
	editor.Params
	ProcessID             *int              `json:"processId"`
	RootPath              string            `json:"rootPath"` // Helix 25.07 is found by its folder through this alone
	RootURI               string            `json:"rootUri"`
	WorkspaceFolders      []workspaceFolder `json:"workspaceFolders"`
	InitializationOptions json.RawMessage   `json:"initializationOptions"`
}

func (s *server) initialize(_ context.Context, params []byte) (rpc.Work, error) {
	var p initializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "initialize: %v", err)
	}
	c := editor.New(p.Params)
	s.SetEditor(c)
	s.roots.set(p.roots())
	s.initial = readSettings(s.settings.Load(), p.InitializationOptions, s.Log)
	s.adopt(0, s.initial)
	s.requests.Enter(rpc.Running)
	if p.ProcessID != nil && *p.ProcessID > 0 {
		s.Go(func(ctx context.Context) { s.watchParent(ctx, *p.ProcessID) })
	}
	s.Log.Info("initialize", "client", c.Name, "version", c.Version, "encoding", c.Encoding)
	return func(context.Context) (any, error) { return initializeResult(s.opts.Version, c, s.settings.Load()), nil }, nil
}

// initializeResult returns the answer to initialize. It names a position encoding only if the
// client listed some: VS Code fails on one that it did not list.
func initializeResult(version string, c *editor.Editor, set *settings) protocol.InitializeResult {
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	r := protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "patchls", Version: protocol.NewOptional(version)},
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
		},
	}
	if c.CanFlush() {
		r.Capabilities.DiagnosticProvider = &protocol.DiagnosticOptions{}
	}
	r.Capabilities.Experimental = c.Plugin.Offered()
	if c.EncodingListed {
		r.Capabilities.PositionEncoding = protocol.PositionEncodingKind(c.Encoding.String())
	}
	if set.AdvertiseCommands {
		r.Capabilities.ExecuteCommandProvider.Commands = commandNames()
	}
	return r
}

func (s *server) initialized([]byte) error {
	s.Go(func(ctx context.Context) { s.outbox.send(ctx, s.rpc) })
	s.Go(s.tellListening)
	s.Go(s.sendRefreshes)
	if s.Editor().Configuration {
		s.Go(s.pullConfiguration) // which then opens the endpoint, as the settings say
	} else {
		s.updateEndpoint()
	}
	if s.Editor().WatchesFiles {
		s.Go(s.watchFiles)
	}
	return nil
}

// shutdown returns the handler of the request after which a connection accepts no other.
func shutdown(of *rpc.Dispatcher) func(context.Context, []byte) (rpc.Work, error) {
	return func(context.Context, []byte) (rpc.Work, error) {
		of.Enter(rpc.Stopped)
		return func(context.Context) (any, error) { return nil, nil }, nil
	}
}

// watchParent ends the server when the client's process has ended.
func (s *server) watchParent(ctx context.Context, pid int) {
	for s.Sleep(ctx, parentPoll) {
		if !s.opts.ParentAlive(pid) {
			s.Log.Warn("the client's process has ended", "pid", pid)
			s.exit()
			return
		}
	}
}

// synced is the barrier patchls/synced: it is handled after every notification that was sent before it. A document that is
// sent along has the editor's text, so the mirror is in step with it again, or what its file held when the editor last read or
// wrote it.
func (m *mirror) synced(_ context.Context, params []byte) (rpc.Work, error) {
	var p struct {
		TextDocument *struct {
			URI     string  `json:"uri"`
			Version *int32  `json:"version"`
			Text    *string `json:"text"`
			File    *string `json:"file"`
		} `json:"textDocument"`
	}
	if err := json.Unmarshal(params, &p); err != nil && len(params) > 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", methodSynced, err)
	}
	if d := p.TextDocument; d != nil && d.Text != nil {
		doc, err := m.open(d.URI)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", methodSynced, err)
		}
		m.modified(methodSynced, doc.Key, doc.WithText(d.Version, text.New(*d.Text)))
	}
	if doc := m.openDocument(params); doc != nil && p.TextDocument.File != nil {
		m.server.docs.SetDisk(doc.Key, doc.Disk, text.InForm(doc.Disk, text.New(*p.TextDocument.File)), doc.Seq, true)
		m.server.disk.watcher.Look(doc.Key, false) // it may have been written meanwhile
	}
	return func(context.Context) (any, error) { return nil, nil }, nil
}

// roots are the workspace folders. They are safe for concurrent use.
type roots struct {
	mu      sync.Mutex
	folders []paths.Root
	changed chan struct{} // closed when the folders are replaced
}

// now returns the folders, and a channel that is closed when they are replaced.
func (r *roots) now() (folders []paths.Root, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.folders), r.changed
}

// set replaces the folders.
func (r *roots) set(folders []paths.Root) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed != nil {
		close(r.changed)
	}
	r.folders, r.changed = folders, make(chan struct{})
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

// roots returns the workspace folders: from workspaceFolders, else from the members that LSP had before.
func (p *initializeParams) roots() []paths.Root {
	for _, folders := range [][]workspaceFolder{p.WorkspaceFolders, {{p.RootURI}}} {
		if roots := pinned(folders); len(roots) > 0 {
			return roots
		}
	}
	return paths.Pin(p.RootPath)
}

// pinned returns the roots of workspace folders.
func pinned(folders []workspaceFolder) []paths.Root {
	return paths.Pin(lists.FilterMap(folders, func(f workspaceFolder) (string, bool) {
		key, _ := paths.KeyOf(f.URI) // after an error, "" is no file either
		return key.FilePath()
	})...)
}

// notText records which files the editor has open as something other than text, all of them.
func (s *server) notText(params []byte) error {
	var p struct {
		Files []struct {
			URI string `json:"uri"`
			As  string `json:"as"`
		} `json:"files"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	as := map[paths.Key]string{}
	for _, f := range p.Files {
		if key, err := paths.KeyOf(f.URI); err == nil {
			as[key] = f.As
		}
	}
	s.openAs.Store(&as)
	return nil
}

func (s *server) didChangeWorkspaceFolders(params []byte) error {
	var p struct {
		Event struct {
			Added   []workspaceFolder `json:"added"`
			Removed []workspaceFolder `json:"removed"`
		} `json:"event"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	roots, _ := s.roots.now()
	at := func(f paths.Root) int {
		return slices.IndexFunc(roots, func(r paths.Root) bool { return r.Path == f.Path })
	}
	for _, f := range pinned(p.Event.Removed) {
		if i := at(f); i >= 0 {
			roots = slices.Delete(roots, i, i+1)
		}
	}
	for _, f := range pinned(p.Event.Added) {
		if i := at(f); i >= 0 {
			roots[i] = f
		} else {
			roots = append(roots, f)
		}
	}
	s.roots.set(roots)
	s.patchDocs.Recheck()
	return nil
}
