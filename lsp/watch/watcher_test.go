package watch

import (
	"context"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/workspace"
)

// A document state that comes after its file has been fully handled wakes no goroutine, since there is none.
func TestAStateThatComesAtTheEnd(t *testing.T) {
	w := &Watcher{Documents: workspace.NewDocuments()}
	w.Begin()
	f := &file{key: "/a.txt", news: make(chan struct{}, 1), busy: true}
	w.files[f.key], w.busy = f, 1
	if w.wait(t.Context(), reading{of: f}, true) {
		t.Error("the file is to be looked at again")
	}
	w.observe(f, &workspace.Document{})
	if w.busy != 0 || len(f.news) != 0 {
		t.Errorf("%d files are waited for", w.busy)
	}
}

// The document's state when its file is written counts, even if the user types on before the file is
// looked at: the editor may have saved that state, and report the save late.
func TestTheStateWhenAFileIsWritten(t *testing.T) {
	docs := workspace.NewDocuments()
	ended, end := context.WithCancel(t.Context())
	end()
	w := &Watcher{Host: &host.Host{Base: ended, After: time.After}, Documents: docs}
	w.Begin()
	saved := &workspace.Document{Key: "/a.txt", URI: "file:///a.txt", Text: text.New("saved\n")}
	docs.Put(saved)
	w.NoteWrite(saved.Key)
	if had := w.files[saved.Key].had; len(had) != 1 || !had[0].Text.Equal(saved.Text) {
		t.Errorf("the states that count are %v", had)
	}
}
