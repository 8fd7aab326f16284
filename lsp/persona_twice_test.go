package lsp_test

import (
	"encoding/json"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// twiceMade watches an editor for edits that it makes twice. The server takes out
// what is there twice; there are three ways in which it cannot.
type twiceMade struct {
	mu       sync.Mutex
	label    string // of the newest applyEdit
	changes  int    // that were told since
	versions map[string]int32

	doubled  bool // an edit was made twice
	mending  bool // an edit that takes out what was made twice was
	backward bool // a version did not grow
}

// trace takes in a message of the editor.
func (w *twiceMade) trace(_ string, message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var m struct {
		Method string
		Params struct {
			Label        string
			TextDocument struct {
				URI     string
				Version int32
			}
		}
	}
	_ = json.Unmarshal(message, &m) // what is of another kind has another method
	switch d := m.Params.TextDocument; m.Method {
	case "workspace/applyEdit":
		w.label, w.changes = m.Params.Label, 0
	case "textDocument/didOpen":
		w.setVersion(d.URI, d.Version)
	case "textDocument/didChange":
		w.changes++
		w.doubled = w.doubled || w.changes > 1
		w.mending = w.mending || w.changes > 1 && w.label == "patchls.mend"
		w.backward = w.backward || d.Version <= w.versions[d.URI]
		w.setVersion(d.URI, d.Version)
	}
}

func (w *twiceMade) setVersion(uri string, version int32) {
	if w.versions == nil {
		w.versions = map[string]int32{}
	}
	w.versions[uri] = version
}

// mayLeave reports whether the server may leave now where it is to be want.
func (w *twiceMade) mayLeave(now, want string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.doubled:
		return false
	case w.mending: // and what takes it out was made twice again
		return true
	case w.backward: // so that nobody can know the text any more
		return true
	}
	// So little that the person may have typed or deleted it.
	return edits.Difference(text.New(want), text.New(now)).Size() < 3
}
