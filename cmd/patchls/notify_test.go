package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestFilesOfOtherPrograms: a program that does not know patchls writes the file of a buffer with
// unsaved text, in place or by renaming a new file over it. Both texts are then in the buffer, though
// the editor reports no file changes; one undo takes out what the program wrote.
func TestFilesOfOtherPrograms(t *testing.T) {
	liveeditor.Home(t)
	root := t.TempDir()
	name := filepath.Join(root, "a.txt")
	write := func(name, s string) {
		if err := os.WriteFile(name, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(name, "one\ntwo\nthree\n")
	e := startWatched(t, root, headless.Options{})
	b, err := e.Open("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	// Once the answer is Merged, the server has read the file and watches its folder.
	for known := (struct{ Merged bool }{}); !known.Merged; {
		if err := e.Call(t.Context(), "patchls/merged", map[string]any{"textDocument": map[string]any{"uri": b.URI()}}, &known); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Insert(len("one\ntwo"), ", typed"); err != nil {
		t.Fatal(err)
	}
	has := func(want string) {
		t.Helper()
		for late := time.Now().Add(time.Minute); b.Text() != want; time.Sleep(5 * time.Millisecond) { //nolint:forbidigo // looked at again until it is there
			if time.Now().After(late) {
				t.Fatalf("the editor has %q, want %q", b.Text(), want)
			}
		}
	}
	write(name, "ONE\ntwo\nthree\n")
	has("ONE\ntwo, typed\nthree\n")
	write(name+".new", "ONE\ntwo\nthree\nfour\n")
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
	has("ONE\ntwo, typed\nthree\nfour\n")
	if !b.Undo() {
		t.Error("there is nothing to undo")
	}
	has("ONE\ntwo, typed\nthree\n")
}

// TestTooManyFilesAtATime: when the system has lost events, any file may have been written.
func TestTooManyFilesAtATime(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 1)
	n, err := notify(func(path string) { told <- path })
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if err := n.Add(filepath.Dir(name)); err != nil {
		t.Fatal(err)
	}
	n.(*notifier).Errors <- fsnotify.ErrEventOverflow
	select {
	case got := <-told:
		if got != name {
			t.Errorf("told of %s", got)
		}
	case <-time.After(time.Minute):
		t.Error("told of nothing")
	}
}
