package headless

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

func deleteFile(uri string) any { return map[string]any{"kind": "delete", "uri": uri} }

func renameFile(from, to string) any {
	return map[string]any{"kind": "rename", "oldUri": from, "newUri": to}
}

// save asks for uris to be saved and returns the errors.
func save(s *fakeserver.Server, uris ...string) []string {
	m := s.Call("patchls/save", map[string]any{"uris": uris})
	var got struct{ Results []struct{ Error string } }
	_ = unmarshal(m.Result, &got)
	var list []string
	for _, r := range got.Results {
		list = append(list, r.Error)
	}
	return list
}

func wantNoFile(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there (%v)", path, err)
	}
}

// TestDelete: the editor closes the document at once; the file is removed when the
// deletion is saved, unless another program has changed it.
func TestDelete(t *testing.T) {
	for _, open := range []bool{true, false} {
		for _, content := range []string{"old", "no text \xff"} {
			if open && content != "old" {
				continue
			}
			path := writeFile(t, filepath.Join(tempDir(t), "f"), content)
			uri := mustURI(t, path)
			e, s := start(t, Options{}, nil)
			if open {
				b, err := e.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				_ = b.Insert(0, "x")
			}
			got := s.Apply("", deleteFile(uri))
			got.MustApply(t)
			if _, ok := got.Docs[uri]; ok || len(e.Buffers()) != 0 {
				t.Error("the document is open")
			}
			if _, err := e.Open(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it can be opened: %v", err)
			}
			s.Apply("", deleteFile(uri)).MustRefuse(t, "not exist", 0)
			wantFile(t, path, content)

			writeFile(t, path, "theirs")
			if got := save(s, uri); got[0] == "" {
				t.Error("deleted what another program wrote")
			}
			wantFile(t, path, "theirs")
			writeFile(t, path, content)
			if got := save(s, uri); got[0] != "" {
				t.Error(got)
			}
			wantNoFile(t, path)
			if got := save(s, uri); !strings.Contains(got[0], "not open") {
				t.Errorf("deleted twice: %s", got)
			}
			writeFile(t, path, "new")
			if b, err := e.Open(path); err != nil || b.Text() != "new" {
				t.Errorf("what was made later cannot be opened: %v", err)
			}
		}
	}
}

func TestDeleteNotAllowed(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "x")
	_, s := start(t, Options{Disk: disk.Disk{AllowSave: func(string) error { return errors.New("another editor has it") }}}, nil)
	s.Apply("", deleteFile(mustURI(t, path))).MustApply(t)
	if got := save(s, mustURI(t, path)); got[0] == "" {
		t.Error("deleted")
	}
	wantFile(t, path, "x")
}

// TestDeleteFails: if a deletion cannot be saved, it can be saved later.
func TestDeleteFails(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "x")
	e, s := start(t, Options{}, nil)
	s.Apply("", deleteFile(mustURI(t, path))).MustApply(t)
	breaks(e, "put", path)
	if got := save(s, mustURI(t, path)); got[0] == "" {
		t.Error("deleted")
	}
	wantFile(t, path, "x")
	e.disk.Call = nil
	if got := save(s, mustURI(t, path)); got[0] != "" {
		t.Error(got)
	}
	wantNoFile(t, path)
}

// TestDeleteThenCreate replaces the file when saved.
func TestDeleteThenCreate(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "old")
	uri := mustURI(t, path)
	e, s := start(t, Options{}, nil)
	s.Apply("", deleteFile(uri), createFile(uri, nil), fakeserver.TextEdits(uri, nil, at(0, 0, 0, 0, "new"))).MustApply(t)
	wantFile(t, path, "old")
	if b, ok := e.Buffer(path); !ok || b.Text() != "new" || !b.Dirty() {
		t.Fatal("no new buffer")
	}
	if got := save(s, uri); got[0] != "" {
		t.Error(got)
	}
	wantFile(t, path, "new")
}

// TestCreateThenDelete leaves nothing, on disk or off.
func TestCreateThenDelete(t *testing.T) {
	path := filepath.Join(tempDir(t), "f")
	e, s := start(t, Options{}, nil)
	s.Apply("", createFile(mustURI(t, path), nil)).MustApply(t)
	s.Apply("", deleteFile(mustURI(t, path))).MustApply(t)
	if got := save(s, mustURI(t, path)); got[0] == "" || len(e.Buffers()) != 0 {
		t.Error("something is left")
	}
	wantNoFile(t, path)
}

// TestRename: the buffer keeps its history and its unsaved text under the new name;
// saving it makes the new file and removes the old one.
func TestRename(t *testing.T) {
	for _, open := range []bool{true, false} {
		dir := tempDir(t)
		from, to := writeFile(t, filepath.Join(dir, "f.txt"), "\uFEFFold\r\n"), filepath.Join(dir, "sub", "g.go")
		e, s := start(t, Options{}, nil)
		want := "old\r\n"
		var version any
		if open {
			b, err := e.Open(from)
			if err != nil {
				t.Fatal(err)
			}
			_ = b.Insert(0, "x")
			want, version = "xold\r\n", 2
			_ = b.SetCursor(3)
			_ = e.Call(t.Context(), "test/barrier", nil, nil)
		}
		got := s.Apply("", fakeserver.TextEdits(mustURI(t, from), version, at(0, 0, 0, 0, "1")),
			renameFile(mustURI(t, from), mustURI(t, to)),
			fakeserver.TextEdits(mustURI(t, to), nil, at(0, 1, 0, 1, "2")))
		got.MustApply(t)
		if m := got.Docs[mustURI(t, to)]; len(got.Docs) != 1 || m.Text != "12"+want || m.Language != "go" {
			t.Errorf("the server has %+v", got.Docs)
		}
		b, ok := e.Buffer(to)
		if !ok || len(e.Buffers()) != 1 || !b.Dirty() {
			t.Fatal("no buffer of the new name")
		}
		wantText(t, b, "12"+want)
		b.Undo()
		b.Undo()
		wantText(t, b, want)
		wantFile(t, from, "\uFEFFold\r\n")
		wantNoFile(t, to)
		if _, err := e.Open(from); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the old name can be opened: %v", err)
		}
		if got := save(s, mustURI(t, to)); got[0] != "" {
			t.Error(got)
		}
		wantFile(t, to, "\uFEFF"+want)
		wantNoFile(t, from)
		if b.Dirty() {
			t.Error("dirty")
		}
	}
}

// TestRenameIsSavedWhole: no new file is made while the old one cannot be removed,
// because another program changed it; the error says so.
func TestRenameIsSavedWhole(t *testing.T) {
	dir := tempDir(t)
	a, b := mustURI(t, writeFile(t, filepath.Join(dir, "a"), "old")), mustURI(t, filepath.Join(dir, "b"))
	e, s := start(t, Options{}, nil)
	s.Apply("", renameFile(a, b)).MustApply(t)
	writeFile(t, filepath.Join(dir, "a"), "theirs")
	if got := save(s, b); !strings.Contains(got[0], filepath.Join(dir, "a")) {
		t.Error(got)
	}
	wantFile(t, filepath.Join(dir, "a"), "theirs")
	wantNoFile(t, filepath.Join(dir, "b"))
	if buf, _ := e.Buffer(b); !buf.Dirty() {
		t.Error("not dirty")
	}
}

// TestRenameBack, in one edit or two: the file is where it was.
func TestRenameBack(t *testing.T) {
	dir := tempDir(t)
	a, b := mustURI(t, writeFile(t, filepath.Join(dir, "a"), "old")), mustURI(t, filepath.Join(dir, "b"))
	_, s := start(t, Options{}, nil)
	s.Apply("", renameFile(a, b), renameFile(b, a)).MustApply(t)
	s.Apply("", renameFile(a, b)).MustApply(t)
	s.Apply("", renameFile(b, a)).MustApply(t)
	if got := save(s, a); got[0] != "" {
		t.Error(got)
	}
	wantFile(t, filepath.Join(dir, "a"), "old")
	if got := names(t, dir); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestRenameChain leaves only the last name.
func TestRenameChain(t *testing.T) {
	dir := tempDir(t)
	a, b, c := mustURI(t, writeFile(t, filepath.Join(dir, "a"), "old")), mustURI(t, filepath.Join(dir, "b")), mustURI(t, filepath.Join(dir, "c"))
	_, s := start(t, Options{}, nil)
	s.Apply("", renameFile(a, b)).MustApply(t)
	s.Apply("", renameFile(b, c)).MustApply(t)
	if got := save(s, c); got[0] != "" {
		t.Error(got)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"c"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestRenameOnto: a rename onto a file that exists is refused, and that file stays.
func TestRenameOnto(t *testing.T) {
	for _, open := range []bool{true, false} {
		dir := tempDir(t)
		a, b := mustURI(t, writeFile(t, filepath.Join(dir, "a"), "A")), mustURI(t, writeFile(t, filepath.Join(dir, "b"), "B"))
		e, s := start(t, Options{}, nil)
		if open {
			if _, err := e.Open(filepath.Join(dir, "b")); err != nil {
				t.Fatal(err)
			}
		}
		s.Apply("", renameFile(a, b)).MustRefuse(t, "exists", 0)
		wantFile(t, filepath.Join(dir, "a"), "A")
		wantFile(t, filepath.Join(dir, "b"), "B")
	}
}

// TestRenameOfCaseAlone: on a volume that ignores case, a file can be renamed by case alone, with
// unsaved text or without, and back again.
func TestRenameOfCaseAlone(t *testing.T) {
	dir := tempDir(t)
	a, b := writeFile(t, filepath.Join(dir, "menu.txt"), "soup"), filepath.Join(dir, "Menu.txt")
	if !disk.IgnoresCase(a) {
		t.Skip("this volume tells names apart by case")
	}
	e, s := start(t, Options{}, nil)
	for _, text := range []string{"soup", "bread"} {
		s.Apply("", renameFile(mustURI(t, a), mustURI(t, b))).MustApply(t)
		buffer, ok := e.Buffer(b)
		if !ok || filepath.Base(buffer.Path()) != filepath.Base(b) { // a URI has drives in lower case
			t.Fatalf("%s is no buffer", b)
		}
		if text != buffer.Text() {
			_ = buffer.Replace(0, len(buffer.Text()), text)
		}
		if err := e.SaveAll(mustURI(t, b)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, b, text)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(b) {
			t.Errorf("%v are there (%v), want %s", entries, err, b)
		}
		a, b = b, a
	}
}

// TestSwap renames two files crosswise in one edit.
func TestSwap(t *testing.T) {
	dir := tempDir(t)
	a, b, tmp := mustURI(t, writeFile(t, filepath.Join(dir, "a"), "A")), mustURI(t, writeFile(t, filepath.Join(dir, "b"), "B")), mustURI(t, filepath.Join(dir, "tmp"))
	_, s := start(t, Options{}, nil)
	s.Apply("", renameFile(a, tmp), renameFile(b, a), renameFile(tmp, b)).MustApply(t)
	if got := save(s, a, b); got[0] != "" || got[1] != "" {
		t.Error(got)
	}
	wantFile(t, filepath.Join(dir, "a"), "B")
	wantFile(t, filepath.Join(dir, "b"), "A")
	if got := names(t, dir); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestCloseRenamed: closing the buffer drops a rename that was not saved.
func TestCloseRenamed(t *testing.T) {
	dir := tempDir(t)
	path := writeFile(t, filepath.Join(dir, "a"), "old")
	e, s := start(t, Options{}, nil)
	s.Apply("", renameFile(mustURI(t, path), mustURI(t, filepath.Join(dir, "b")))).MustApply(t)
	b, _ := e.Buffer(filepath.Join(dir, "b"))
	b.Close()
	old, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, old, "old")
}

// TestDeleteAndRenameAreAnnounced: for a file that is not open, the editor sends didOpen
// and didClose to announce its deletion, unless the file is not text.
func TestDeleteAndRenameAreAnnounced(t *testing.T) {
	for content, want := range map[string][]string{
		"text":         {"textDocument/didOpen f", "textDocument/didClose f"},
		"no text \xff": nil,
	} {
		path := writeFile(t, filepath.Join(tempDir(t), "f"), content)
		var told []string
		var mu sync.Mutex
		_, s := startTraced(t, Options{}, nil, func(raw []byte) {
			var m struct {
				Method string
				Params struct{ TextDocument struct{ URI string } }
			}
			if json.Unmarshal(raw, &m) == nil && strings.HasPrefix(m.Method, "textDocument/") {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, m.Method+" "+filepath.Base(m.Params.TextDocument.URI))
			}
		}, nil)
		s.Apply("", deleteFile(mustURI(t, path))).MustApply(t)
		mu.Lock()
		if !slices.Equal(told, want) {
			t.Errorf("%q: told %q, want %q", content, told, want)
		}
		mu.Unlock()
	}
}
