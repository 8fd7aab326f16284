package lsp_test

import (
	"encoding/json"
	"sync"
)

// mischief watches an editor for what the server does not put right. Of an edit
// that is made twice it takes out the second one, if it can; an edit that is taken
// back it takes back where it was made.
type mischief struct {
	mu       sync.Mutex
	label    string // of the newest applyEdit
	changes  int    // that were told since
	versions map[string]int32

	doubled  bool // an edit was made twice
	mending  bool // one that takes out what was made twice was not made once
	backward bool // a version did not grow
}

// trace takes in a message of the editor.
func (w *mischief) trace(_ string, message []byte) {
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
		w.ended()
		w.label, w.changes = m.Params.Label, 0
	case "textDocument/didOpen":
		w.setVersion(d.URI, d.Version)
	case "textDocument/didChange":
		w.changes++
		w.doubled = w.doubled || w.changes > 1
		w.backward = w.backward || d.Version <= w.versions[d.URI]
		w.setVersion(d.URI, d.Version)
	}
}

// ended takes in that nothing comes any more of the newest applyEdit.
func (w *mischief) ended() {
	w.mending = w.mending || w.label == "patchls.mend" && w.changes != 1
}

func (w *mischief) setVersion(uri string, version int32) {
	if w.versions == nil {
		w.versions = map[string]int32{}
	}
	w.versions[uri] = version
}

// mayLeave reports whether the server may leave now where it is to be want. Only an
// answer that leaves open what became of the edit may leave much.
func (w *mischief) mayLeave(fate simFate, now, want string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended()
	switch {
	case !w.doubled:
		return false
	case fate == unknown && (w.mending || w.backward):
		return true
	}
	// So little that the person may have typed or deleted it.
	return max(len(now)-len(want), len(want)-len(now)) < 3
}
