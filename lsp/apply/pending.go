package apply

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
	attempts map[paths.Key]*request
}

// begin takes in a request, until end is called.
func (u *underWay) begin(a *request) (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.attempts == nil {
		u.attempts = map[paths.Key]*request{}
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

// TextBefore returns the document as it was before an edit that the editor has made only a part
// of by now, nil if there is no such edit of it.
func (e *Engine) TextBefore(key paths.Key) *workspace.Document {
	e.underWay.mu.Lock()
	a := e.underWay.attempts[key]
	e.underWay.mu.Unlock()
	if a == nil || !a.isHalfMade() {
		return nil
	}
	return a.change.Doc
}

// halfMade reports whether a part of the edit may be in the text.
func (a *request) isHalfMade() bool {
	if a.change.Doc == nil {
		return false
	}
	saw, _ := a.judgeText()
	return saw != edits.Present && a.isPartial()
}
