package workspace_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A command finds the document that is a file under another name, also one that was opened while it runs, and none that was
// closed.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	key := func(name string) paths.Key { return paths.FileKey(filepath.Join(dir, name)) }
	for link, file := range map[string]string{"one": "a", "other": "a", "new": "b"} {
		f, err := os.OpenFile(filepath.Join(dir, file), os.O_CREATE, 0o600)
		if err = cmp.Or(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(dir, file), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	docs := workspace.NewDocuments()
	w := &workspace.Workspace{Documents: docs, Policy: paths.Policy{Roots: paths.Pin(dir)}, Names: new(workspace.Names)}
	open := func(name string) {
		docs.Put(&workspace.Document{Key: key(name), URI: paths.FileURI(filepath.Join(dir, name)), Text: text.New("x\n")})
	}
	want := func(file, name string) {
		t.Helper()
		if got := w.AsOpen(w.Policy.Target(key(file), w.IsOpen)); got.Key != key(name) {
			t.Errorf("%s is found as %s, want %s", file, got.Key, key(name))
		}
	}
	want("a", "a")
	open("one")
	want("a", "one")
	want("b", "b")
	open("new") // since the command began
	want("b", "new")
	docs.Close(key("one"))
	want("a", "a")
	open("other")
	want("a", "other")
	for range 300 { // more than the documents remember
		open("new")
		docs.Close(key("new"))
	}
	want("b", "b")
	open("new")
	want("b", "new")
	want("a", "other")
}
