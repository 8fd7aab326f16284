package lsp

import (
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// caller sends commands: the client itself, or an agent at the endpoint. All callers work on the
// server's documents; each has its own record of what it was shown.
type caller struct {
	*server
	name   string       // what an agent calls itself; "" for the client
	exact  bool         // the names in its diffs of git are counted from folder, too
	folder string       // where its relative paths are looked for first; "" for the workspace folders
	ledger lines.Ledger // what it knows of each text
	// session runs the caller's commands.
	session *transaction.Session
}

// newCaller returns a caller whose commands compute with the given shares.
func (s *server) newCaller(with *shares.Shares) *caller {
	c := &caller{server: s}
	c.session = &transaction.Session{Server: &s.editing, Name: c.called, Workspace: c.workspace, Ledger: &c.ledger, Shares: with, Agent: with != nil, Done: c.logDone}
	return c
}

// called returns the name that the caller gives itself.
func (s *caller) called() string {
	if s.name == "" {
		return s.client.Load().Name
	}
	return s.name
}

// workspace returns the server's workspace, with the caller's folder as the base of relative paths.
func (s *caller) workspace() *workspace.Workspace {
	w := s.server.workspace()
	w.Policy.Base, w.Policy.BaseIsTop = s.folder, s.exact
	return w
}

// forget drops what all callers remember of a document.
func (s *server) forget(key paths.Key) {
	for c := range s.callers.Range {
		if c, ok := c.(*caller); ok {
			c.ledger.Forget(key)
		}
	}
}
