package lsp

import (
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// caller sends commands: the client itself, or an agent at the endpoint. All callers work on
// the server's documents; each has a record of its own of what it was shown.
type caller struct {
	*server
	name   string       // what an agent calls itself; "" for the client
	folder string       // the folder that its relative paths are of; "" for the workspace folders
	shown  lines.Ledger // what it knows of each text
	// session is the caller as one that edits.
	session *transaction.Session
}

// newCaller returns a caller, whose commands compute with these shares.
func (s *server) newCaller(with *shares.Shares) *caller {
	c := &caller{server: s}
	c.session = &transaction.Session{Server: &s.editing, Name: c.called, Workspace: c.workspace, Shown: &c.shown, Shares: with, Done: c.logDone}
	return c
}

// called is what the caller says that it is called.
func (s *caller) called() string {
	if s.name == "" {
		return s.client.Load().Name
	}
	return s.name
}

// workspace returns the documents and files as the caller may touch them now.
func (s *caller) workspace() *workspace.Workspace {
	w := s.server.workspace()
	w.Policy.Base = s.folder
	return w
}

// forget drops what all callers remember of a document.
func (s *server) forget(key paths.Key) {
	for c := range s.callers.Range {
		if c, ok := c.(*caller); ok {
			c.shown.Forget(key)
		}
	}
}
