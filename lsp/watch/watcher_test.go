package watch

import (
	"testing"

	"github.com/patchls/patchls/workspace"
)

// A state of a document that comes when its file is seen to the end wakes no goroutine, since there is none.
func TestAStateThatComesAtTheEnd(t *testing.T) {
	w := &Watcher{Documents: &workspace.Documents{}}
	w.Begin()
	f := &file{key: "/a.txt", news: make(chan struct{}, 1), busy: true}
	w.files[f.key], w.busy = f, 1
	if w.wait(t.Context(), reading{of: f}, true) {
		t.Error("the file is to be looked at again")
	}
	w.seen(f, &workspace.Document{})
	if w.busy != 0 || len(f.news) != 0 {
		t.Errorf("%d files are waited for", w.busy)
	}
}
