package headless

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

func createFile(uri string, options map[string]any) any {
	return map[string]any{"kind": "create", "uri": uri, "options": options}
}

// TestCreate makes an empty buffer that is not on disk until it is saved, with
// text edits of the same applyEdit in it.
func TestCreate(t *testing.T) {
	path := filepath.Join(tempDir(t), "new", "deep", "f.go")
	uri := mustURI(t, path)
	e, s := start(t, Options{}, nil)
	got := s.Apply("", createFile(uri, nil), fakeserver.TextEdits(uri, nil, at(0, 0, 0, 0, "package f\n")))
	got.MustApply(t)
	b, ok := e.Buffer(path)
	if !ok {
		t.Fatal("no buffer")
	}
	wantText(t, b, "package f\n")
	if m := got.Docs[uri]; m.Text != "package f\n" || m.Version != 2 {
		t.Errorf("the server has %+v", m)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil || !b.Dirty() {
		t.Errorf("on disk before it is saved (dirty %t)", b.Dirty())
	}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	if disk, _ := os.ReadFile(path); string(disk) != "package f\n" || b.Dirty() {
		t.Errorf("disk has %q, dirty %t", disk, b.Dirty())
	}
}

func TestCreateEmpty(t *testing.T) {
	path := filepath.Join(tempDir(t), "empty")
	e, s := start(t, Options{}, nil)
	s.Apply("", createFile(mustURI(t, path), nil)).MustApply(t)
	b, _ := e.Buffer(path)
	if !b.Dirty() || b.Text() != "" {
		t.Errorf("dirty %t, text %q", b.Dirty(), b.Text())
	}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 || b.Dirty() {
		t.Errorf("%v %v, dirty %t", info, err, b.Dirty())
	}
}

// TestCreateExisting: with ignoreIfExists, creating a file that exists keeps its text.
func TestCreateExisting(t *testing.T) {
	for _, open := range []bool{true, false} {
		path := writeFile(t, filepath.Join(tempDir(t), "f"), "old")
		e, s := start(t, Options{}, nil)
		if open {
			if _, err := e.Open(path); err != nil {
				t.Fatal(err)
			}
		}
		s.Apply("", createFile(mustURI(t, path), map[string]any{"ignoreIfExists": true})).MustApply(t)
		b, err := e.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if wantText(t, b, "old"); b.Undo() {
			t.Error("something was done")
		}
		wantFile(t, path, "old")
	}
}
