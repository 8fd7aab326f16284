package lsp_test

import (
	"bytes"
	"encoding/json"
	"sync"
)

// mischief watches an editor for what the server does not put right. Of an edit
// that is made twice it takes out the second one, if it can; an edit that is taken
// back it takes back where it was made.
type mischief struct {
	mu       sync.Mutex
	label    string // of the newest applyEdit
	closed   bool   // it is an edit of a file that is not open
	changes  int    // that were told since
	opened   bool   // since
	versions map[string]int32

	doubled  bool // an edit was made twice
	mending  bool // one that takes out what was made twice was not made once
	backward bool // a version did not grow
	untold   bool // an edit of a file that is not open had a yes and nothing else
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
		Result struct{ Applied bool }
	}
	_ = json.Unmarshal(message, &m) // what is of another kind has another method
	switch d := m.Params.TextDocument; m.Method {
	case "workspace/applyEdit":
		w.ended()
		w.label, w.changes, w.opened = m.Params.Label, 0, false
		w.closed = bytes.Contains(message, []byte(`"version":null`))
	case "textDocument/didOpen":
		w.opened = true
		w.setVersion(d.URI, d.Version)
	case "textDocument/didChange":
		w.changes++
		w.doubled = w.doubled || w.changes > 1
		w.backward = w.backward || d.Version <= w.versions[d.URI]
		w.setVersion(d.URI, d.Version)
	case "":
		w.untold = w.untold || m.Result.Applied && w.closed && !w.opened
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

// mayLeave reports whether the server may leave now where it is to be want.
func (w *mischief) mayLeave(now, want string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended()
	switch {
	case w.untold: // it is taken back as if it had been made
		return true
	case !w.doubled:
		return false
	case w.mending:
		return true
	case w.backward: // so that nobody can know the text any more
		return true
	}
	// So little that the person may have typed or deleted it.
	return max(len(now)-len(want), len(want)-len(now)) < 3
}
