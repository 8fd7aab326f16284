package lsp

import (
	"slices"
	"sync"

	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// caller sends commands: the client itself, or an agent at the endpoint. All callers work on the
// server's documents; each has its own record of what it was shown, unless it says which actor it is.
type caller struct {
	*server
	name   string // what an agent calls itself; "" for the client
	exact  bool   // the names in its diffs of git are counted from folder, too
	folder string // where its relative paths are looked for first; "" for the workspace folders
	// session runs the caller's commands.
	session *transaction.Session
}

// newCaller returns a caller whose commands compute with the given shares.
func (s *server) newCaller(with *shares.Shares) *caller {
	c := &caller{server: s}
	c.session = &transaction.Session{Server: &s.editing, Name: c.called, Workspace: c.workspace, Ledger: &lines.Ledger{}, Shares: with, Agent: with != nil, Done: c.logDone}
	return c
}

// called returns the name that the caller gives itself.
func (s *caller) called() string {
	if s.name == "" {
		return s.Editor().Name
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
			c.session.Ledger.Forget(key)
		}
	}
	s.actors.forget(key)
}

// as returns the caller for a call of an actor, "" for the caller's own.
func (s *caller) as(actor string) *caller {
	if actor == "" {
		return s
	}
	own, session := *s, *s.session
	session.Ledger, own.session = s.actors.ledger(actor), &session
	return &own
}

// The bounds of actors.
const (
	maxActors    = 100  // actors whose texts are kept
	maxNamed     = 1000 // actors whose names are kept, with those of the texts that they were shown
	maxActorName = 200  // bytes
)

// actors are those who see and edit texts under a name of their own: several may use one connection, and one may use
// several, one after the other or at the same time. It is safe for concurrent use.
type actors struct {
	mu  sync.Mutex
	all []actor // the one that called longest ago is first, and is the first whose texts are dropped
}

// actor is what an actor of that name knows.
type actor struct {
	name string
	*lines.Ledger
}

// ledger returns what an actor knows.
func (a *actors) ledger(name string) *lines.Ledger {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := actor{name[:min(len(name), maxActorName)], &lines.Ledger{}}
	if i := slices.IndexFunc(a.all, func(b actor) bool { return b.name == now.name }); i >= 0 {
		now = a.all[i]
		a.all = slices.Delete(a.all, i, i+1)
	}
	a.all = append(slices.Delete(a.all, 0, max(0, len(a.all)+1-maxNamed)), now)
	if old := len(a.all) - maxActors; old > 0 {
		a.all[old-1].Drop()
	}
	return now.Ledger
}

// forget drops what all actors know of a text.
func (a *actors) forget(key paths.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.all {
		b.Forget(key)
	}
}
