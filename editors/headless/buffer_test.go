package headless

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// TestType: the cursor stays with its text when others edit around it.
func TestType(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "one two")
	if err := b.SetCursor(4); err != nil {
		t.Fatal(err)
	}
	_ = b.Type("a")
	s.Apply("", fakeserver.TextEdits("untitled:1", 2, at(0, 0, 0, 3, "three"), at(0, 5, 0, 5, "!"))).MustApply(t)
	_ = b.Type("b")
	wantText(t, b, "three ab!two")
	_ = b.Replace(4, 9, "")
	if b.Cursor() != 4 {
		t.Errorf("cursor %d after its text went", b.Cursor())
	}
	if b.SetCursor(99) == nil || b.Cursor() != 4 {
		t.Error("the cursor left the text")
	}
}

// TestBadChanges: an impossible change is refused as a whole, and nothing is sent.
func TestBadChanges(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "aé")
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	s.Events()
	ok := edits.Edit{Start: 0, End: 0, New: "x"}
	for i, err := range []error{
		b.Insert(-1, "x"), b.Insert(4, "x"), b.Insert(2, "x"), b.Replace(2, 3, ""), b.Replace(1, 0, ""), b.Replace(0, 9, ""),
		b.Change(ok, edits.Edit{Start: 5, End: 5, New: "x"}),
	} {
		if !errors.Is(err, ErrBadRange) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for i, err := range []error{b.Insert(0, "\xff"), b.Type("\xff"), b.Change(ok, edits.Edit{New: "\xff"})} {
		if !errors.Is(err, disk.ErrNotUTF8) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if err := errors.Join(b.Insert(0, ""), b.Change(), b.Replace(1, 1, "")); err != nil {
		t.Error(err)
	}
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	if got := s.Events(); b.Version() != 1 || !slices.Equal(got, []string{"test/barrier"}) {
		t.Errorf("version %d, sent %v", b.Version(), got)
	}
	wantText(t, b, "aé")
}

// TestCloseBuffer: the server is told, the buffer is dead, and its document can
// be opened again from version 1.
func TestCloseBuffer(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "one")
	e, s := start(t, Options{}, nil)
	b, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Insert(0, "unsaved ")
	b.Close()
	b.Close()
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	if _, ok := s.Doc(b.URI()); ok {
		t.Error("the server has the document")
	}
	for i, err := range []error{b.Insert(0, "x"), b.Type("x"), b.Save()} {
		if !errors.Is(err, ErrBufferClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if b.Undo() || b.Redo() || !b.Closed() || len(e.Buffers()) != 0 {
		t.Error("the buffer lives")
	}
	again, err := e.Open(path)
	if err != nil || again == b || again.Version() != 1 {
		t.Fatalf("%v, version %d", err, again.Version())
	}
	wantText(t, again, "one")
}

// TestOpen: a file is opened once; what is not text is not opened.
func TestOpen(t *testing.T) {
	dir := tempDir(t)
	e, _ := start(t, Options{Roots: []string{dir}}, nil)
	a, err := e.Open(writeFile(t, filepath.Join(dir, "a b", "é%20.md"), "x\x00y"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := e.Open("a b/../a b/é%20.md"); b != a || err != nil {
		t.Errorf("another buffer, %v", err)
	}
	for _, name := range []string{"a b/é%20.md", filepath.Join(dir, "a b", "é%20.md"), a.URI()} {
		if b, ok := e.Buffer(name); b != a || !ok {
			t.Errorf("no buffer %s", name)
		}
	}
	if a.languageID != "md" || a.Dirty() {
		t.Errorf("language %s, dirty %t", a.languageID, a.Dirty())
	}
	for name, want := range map[string]error{
		"none": fs.ErrNotExist,
		dir:    disk.ErrNotRegular,
		writeFile(t, filepath.Join(dir, "l1"), "\xe9"):           disk.ErrNotUTF8,
		writeFile(t, filepath.Join(dir, "u16"), "\xff\xfea\x00"): disk.ErrNotUTF8,
	} {
		if _, err := e.Open(name); !errors.Is(err, want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok := e.Buffer("none"); ok || len(e.Buffers()) != 1 {
		t.Errorf("%d buffers", len(e.Buffers()))
	}
}

// TestOpenTextOfFile: the buffer has the given text, and the text on disk counts
// as saved.
func TestOpenTextOfFile(t *testing.T) {
	dir := tempDir(t)
	path := writeFile(t, filepath.Join(dir, "f"), "\uFEFFdisk")
	e, _ := start(t, Options{}, nil)
	b := openText(t, e, mustURI(t, path), "typed")
	if !b.Dirty() {
		t.Error("clean")
	}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "\uFEFFtyped")
	if n := openText(t, e, mustURI(t, filepath.Join(dir, "new")), ""); !n.Dirty() {
		t.Error("a new file is clean")
	}
	if u := openText(t, e, "untitled:1", ""); u.Dirty() {
		t.Error("an empty untitled document is dirty")
	}
}

// TestSync: the server is notified of all that happens to a document.
func TestSync(t *testing.T) {
	e, s := start(t, Options{}, nil)
	s.WaitFor("initialized")
	s.Events()
	b, err := e.Open(writeFile(t, filepath.Join(tempDir(t), "f"), "one"))
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Insert(3, "😀")
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	b.Close()
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	want := []string{"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose", "test/barrier"}
	if got := s.Events(); !slices.Equal(got, want) {
		t.Errorf("the server heard of %v", got)
	}
	if p := string(s.Params("textDocument/didChange")); !strings.Contains(p, "range") {
		t.Errorf("didChange %s", p)
	}
	if p := string(s.Params("textDocument/didSave")); !strings.Contains(p, `"text":"one😀"`) {
		t.Errorf("didSave %s", p)
	}
}
