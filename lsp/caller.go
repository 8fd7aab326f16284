package lsp

import (
	"sync"

	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// caller is whoever sends commands: the client itself, or an agent that came in at
// the endpoint. All callers work on the server's documents; what each was shown is its
// own.
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

// callers are those that are connected. They are safe for concurrent use.
type callers struct {
	mu  sync.Mutex
	all map[*caller]struct{}
}

func (cs *callers) add(c *caller) (remove func()) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.all == nil {
		cs.all = map[*caller]struct{}{}
	}
	cs.all[c] = struct{}{}
	return func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.all, c)
	}
}

// forget drops what all callers remember of a document.
func (cs *callers) forget(key paths.Key) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.all {
		c.shown.Forget(key)
	}
}
