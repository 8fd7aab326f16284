package lsp

import (
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// underWay are the edits that the editor was asked to make and that have not
// settled, by document. It is safe for concurrent use.
type underWay struct {
	mu       sync.Mutex
	attempts map[paths.Key]*attempt
}

// begin takes in an attempt, until end is called.
func (u *underWay) begin(a *attempt) (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.attempts == nil {
		u.attempts = map[paths.Key]*attempt{}
	}
	key, before := a.change.Key, u.attempts[a.change.Key]
	u.attempts[key] = a
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if before == nil {
			delete(u.attempts, key)
		} else {
			u.attempts[key] = before // which this one mends
		}
	}
}

func (u *underWay) at(key paths.Key) *attempt {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.attempts[key]
}

// read reads a text to show it. It never waits; while an edit is half made, as
// some editors tell of it, the text from before is shown (hazard: transient-text).
func (s *server) read(w *workspace.Workspace, place paths.Target) (workspace.Snapshot, error) {
	snap, err := w.Read(place)
	if err != nil || snap.Doc == nil {
		return snap, err
	}
	if a := s.underWay.at(snap.Key); a != nil && a.halfMade() {
		snap.Doc, snap.Text = a.change.Doc, a.change.Doc.Text
	}
	snap.Told()
	return snap, nil
}

// halfMade reports whether a part of the edit may be in the text.
func (a *attempt) halfMade() bool {
	if a.change.Doc == nil {
		return false
	}
	saw, _ := a.look()
	return saw != edits.Present && a.partly()
}
