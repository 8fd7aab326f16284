package headless

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tempDir returns a folder of the test's, spelled as paths in errors are: on Windows its drive is in lower case.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, _ := pathOf(mustURI(t, t.TempDir()))
	return dir
}

func mustURI(t *testing.T, path string) string {
	t.Helper()
	u, err := uriOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func openText(t *testing.T, e *Editor, uri, s string) *Buffer {
	t.Helper()
	b, err := e.OpenText(uri, "plaintext", s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantText(t *testing.T, b *Buffer, want string) {
	t.Helper()
	if got := b.Text(); got != want {
		t.Errorf("%s is %q, want %q", b.URI(), got, want)
	}
}

// TestRefusals: each edit is refused for its reason and changes nothing: the text
// and the version stay, and nothing is sent. The first change of each edit is
// valid, so that this also tests that edits are made as a whole or not at all.
func TestRefusals(t *testing.T) {
	dir := tempDir(t)
	latin1 := mustURI(t, writeFile(t, filepath.Join(dir, "latin1"), "caf\xe9"))
	onDisk := mustURI(t, writeFile(t, filepath.Join(dir, "disk"), "disk\n"))
	writeFile(t, filepath.Join(dir, "latin1x"), "")
	folder, fresh := mustURI(t, dir), mustURI(t, filepath.Join(dir, "fresh"))
	const doc, other = "untitled:doc", "untitled:other"
	_, absent := os.Stat(filepath.Join(dir, "none"))
	gone := errors.Unwrap(absent).Error() // in the words of the system
	tests := []struct {
		name, why string
		change    any
	}{
		{"old version", "has changed", fakeserver.TextEdits(doc, 1, at(0, 0, 0, 0, "x"))},
		{"version of the future", "has changed", fakeserver.TextEdits(doc, 3, at(0, 0, 0, 0, "x"))},
		{"null for unsaved text", "unsaved", fakeserver.TextEdits(doc, nil, at(0, 0, 0, 0, "x"))},
		{"version of a closed file", "not open", fakeserver.TextEdits(onDisk, 1, at(0, 0, 0, 0, "x"))},
		{"overlap", "overlap", fakeserver.TextEdits(doc, 2, at(0, 0, 0, 2, "x"), at(0, 1, 0, 3, "y"))},
		{"insert inside a deletion", "overlap", fakeserver.TextEdits(doc, 2, at(0, 0, 0, 2, ""), at(0, 1, 0, 1, "y"))},
		{"replacement before an insert at its start", "overlap", fakeserver.TextEdits(doc, 2, at(0, 0, 0, 2, ""), at(0, 0, 0, 0, "y"))},
		{"the same edit twice", "overlap", fakeserver.TextEdits(doc, 2, at(0, 0, 0, 2, "x"), at(0, 0, 0, 2, "x"))},
		{"line beyond the last", "beyond", fakeserver.TextEdits(doc, 2, at(0, 0, 3, 0, "x"))},
		{"huge line", "beyond", fakeserver.TextEdits(doc, 2, at(0, 0, 1<<31, 0, "x"))},
		{"range backwards", "ends before", fakeserver.TextEdits(doc, 2, at(0, 2, 0, 1, "x"))},
		{"document twice", "twice", fakeserver.TextEdits(other, 1, at(0, 0, 0, 0, "x"))},
		{"no such file", gone, fakeserver.TextEdits(mustURI(t, filepath.Join(dir, "none")), nil, at(0, 0, 0, 0, "x"))},
		{"not UTF-8", "UTF-8", fakeserver.TextEdits(latin1, nil, at(0, 0, 0, 0, "x"))},
		{"a folder", "regular", fakeserver.TextEdits(folder, nil, at(0, 0, 0, 0, "x"))},
		{"scheme that is not open", "not open", fakeserver.TextEdits("untitled:none", nil, at(0, 0, 0, 0, "x"))},
		{"create what exists", "exists", map[string]any{"kind": "create", "uri": onDisk}},
		{"create what is open", "exists", map[string]any{"kind": "create", "uri": doc}},
		{"create a folder's name", "regular", map[string]any{"kind": "create", "uri": folder}},
		{"create untitled", "not open", map[string]any{"kind": "create", "uri": "untitled:new"}},
		{"rename onto a file", "exists", map[string]any{"kind": "rename", "oldUri": latin1 + "x", "newUri": onDisk}},
		{"rename onto a buffer's file", "exists", map[string]any{"kind": "rename", "oldUri": onDisk, "newUri": fresh}},
		{"rename what is no text", "UTF-8", map[string]any{"kind": "rename", "oldUri": latin1, "newUri": fresh + "2"}},
		{"rename untitled", "no file", map[string]any{"kind": "rename", "oldUri": doc, "newUri": fresh + "2"}},
		{"rename a folder", "regular", map[string]any{"kind": "rename", "oldUri": folder, "newUri": fresh + "2"}},
		{"delete nothing", gone, map[string]any{"kind": "delete", "uri": fresh + "2"}},
		{"delete a folder", "regular", map[string]any{"kind": "delete", "uri": folder, "options": map[string]any{"recursive": true}}},
		{"delete untitled", "no file", map[string]any{"kind": "delete", "uri": doc}},
		{"what nobody knows", "operation", map[string]any{"kind": "copy", "uri": onDisk}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, s := start(t, Options{}, nil)
			b := openText(t, e, doc, "one\nto\n")
			_ = b.Insert(5, "w")
			o := openText(t, e, other, "other")
			s.WaitFor("textDocument/didChange")
			_ = e.Call(t.Context(), "test/barrier", nil, nil)
			s.Events()

			s.Apply("", fakeserver.TextEdits(other, 1, at(0, 0, 0, 0, "x")), map[string]any{"kind": "create", "uri": fresh}, test.change).
				MustRefuse(t, test.why, 2)
			wantText(t, b, "one\ntwo\n")
			wantText(t, o, "other")
			if b.Version() != 2 || o.Version() != 1 || len(e.Buffers()) != 2 {
				t.Errorf("versions %d and %d, %d buffers", b.Version(), o.Version(), len(e.Buffers()))
			}
			if got := s.Events(); len(got) != 1 {
				t.Errorf("the editor sent %v", got)
			}
		})
	}
}

// TestBadParams: what is not an edit is a JSON-RPC error, and the connection
// lives on.
func TestBadParams(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "abc")
	edit := func(te string) string {
		return `{"edit":{"documentChanges":[{"textDocument":{"uri":"untitled:1","version":1},"edits":[` + te + `]}]}}`
	}
	for _, params := range []string{
		`{}`, `[]`, `{"edit":7}`,
		edit(`{"newText":"x"}`),
		edit(`{"range":{"start":{"line":0,"character":0}},"newText":"x"}`),
		edit(`{"range":{"start":{"line":0,"character":0},"end":{"line":0}},"newText":"x"}`),
		edit(`{"range":{"start":{"line":0,"character":-1},"end":{"line":0,"character":1}},"newText":"x"}`),
		edit(`{"range":{"start":{"line":0,"character":0.5},"end":{"line":0,"character":1}},"newText":"x"}`),
		edit(`{"range":{"start":{"line":4294967296,"character":0},"end":{"line":4294967296,"character":1}},"newText":"x"}`),
		edit(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}`),
		edit(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":null}`),
		edit(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"snippet":{"kind":"snippet","value":"x"}}`),
	} {
		if got := s.ApplyEdit(json.RawMessage(params)); got.Err == nil || got.Err.Code != -32602 {
			t.Errorf("%s gave %+v", params, got)
		}
	}
	wantText(t, b, "abc")
	s.Apply("", fakeserver.TextEdits("untitled:1", 1, at(0, 0, 0, 1, "x"))).MustApply(t)
	wantText(t, b, "xbc")
}

// TestClamping: a character past its line's end means that end.
func TestClamping(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "one\ntwo")
	s.Apply("", fakeserver.TextEdits("untitled:1", 1, at(0, 99, 0, 99, "!"), at(1, 1, 1, 1<<31, "o"))).MustApply(t)
	wantText(t, b, "one!\nto")
}

// TestInsertsAtOnePlace keep their order and may precede a replacement.
func TestInsertsAtOnePlace(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "abc")
	s.Apply("", fakeserver.TextEdits("untitled:1", 1,
		at(0, 1, 0, 1, "1"), at(0, 1, 0, 1, "2"), at(0, 1, 0, 2, "B"), at(0, 2, 0, 2, "3"), at(0, 2, 0, 3, "C"))).MustApply(t)
	wantText(t, b, "a12B3C")
	if b.Version() != 2 {
		t.Errorf("version %d, want one didChange", b.Version())
	}
}

// TestManyInsertsAtOnePlace: the order is the list's, however long it is.
func TestManyInsertsAtOnePlace(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "ab")
	var list []TextEdit
	want := ""
	for i := range 100 {
		list = append(list, at(0, 1, 0, 1, string(rune('0'+i%70))), at(0, 0, 0, 0, "."))
		want += string(rune('0' + i%70))
	}
	s.Apply("", fakeserver.TextEdits("untitled:1", 1, list...)).MustApply(t)
	wantText(t, b, strings.Repeat(".", 100)+"a"+want+"b")
}

// TestClosedFile: editing a file that is not open opens it: didOpen with the
// disk's text, didChange, and only then the answer. The disk is not touched.
func TestClosedFile(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "a b%20é.go"), "\uFEFFone\r\ntwo\r\n")
	e, s := start(t, Options{}, nil)
	s.WaitFor("initialized")
	s.Events()
	uri := mustURI(t, path)
	got := s.Apply("agent", fakeserver.TextEdits(uri, nil, at(1, 0, 1, 3, "2")))
	got.MustApply(t)
	if events := s.Events(); !slices.Equal(events, []string{"textDocument/didOpen", "textDocument/didChange", "answer 1"}) {
		t.Errorf("the editor sent %v", events)
	}
	b, ok := e.Buffer(path)
	if !ok || b.URI() != uri || b.Path() != path {
		t.Fatalf("no buffer of %s: %v", path, e.Buffers())
	}
	wantText(t, b, "one\r\n2\r\n")
	if m := got.Docs[uri]; m.Text != "one\r\n2\r\n" || m.Version != 2 || m.Language != "go" {
		t.Errorf("the server has %+v", m)
	}
	if !b.Dirty() {
		t.Error("not dirty")
	}
	if disk, _ := os.ReadFile(path); string(disk) != "\uFEFFone\r\ntwo\r\n" {
		t.Errorf("disk has %q", disk)
	}
	b.Undo()
	if wantText(t, b, "one\r\ntwo\r\n"); b.Dirty() {
		t.Error("dirty after undo")
	}
}

// TestNullVersion: null stands for the text on disk, so it is accepted for an open
// file without unsaved text.
func TestNullVersion(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "one")
	e, s := start(t, Options{Roots: []string{filepath.Dir(path)}}, nil)
	b, err := e.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	s.Apply("", fakeserver.TextEdits(b.URI(), nil, at(0, 0, 0, 3, "two"))).MustApply(t)
	s.Apply("", fakeserver.TextEdits(b.URI(), nil, at(0, 0, 0, 3, "six"))).MustRefuse(t, "unsaved", 0)
	wantText(t, b, "two")
}

// TestNothingToDo: an empty edit is applied; no file is opened for it.
func TestNothingToDo(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "one")
	e, s := start(t, Options{}, nil)
	s.Apply("").MustApply(t)
	s.Apply("", fakeserver.TextEdits[TextEdit](mustURI(t, path), nil)).MustApply(t)
	s.Apply("", fakeserver.TextEdits(mustURI(t, path), nil, at(0, 1, 0, 1, ""))).MustApply(t)
	if len(e.Buffers()) != 0 {
		t.Errorf("%d buffers", len(e.Buffers()))
	}
}

// TestSpelling: one document has one buffer, however its URI is spelled; the editor
// sends the URI in its first spelling.
func TestSpelling(t *testing.T) {
	dir, err := filepath.EvalSymlinks(tempDir(t))
	if err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, filepath.Join(dir, "a+b é.txt"), "x")
	if err := os.Symlink(path, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	e, s := start(t, Options{}, nil)
	first := "file://" + strings.NewReplacer("é", "%c3%a9", " ", "%20").Replace(path) // "+" as is, lower case hex
	b := openText(t, e, first, "x")
	for i, spelled := range []string{first, mustURI(t, path), mustURI(t, filepath.Join(dir, "link")), "file://localhost" + strings.TrimPrefix(mustURI(t, path), "file://")} {
		s.Apply("", fakeserver.TextEdits(spelled, i+1, at(0, 0, 0, 0, "y"))).MustApply(t)
	}
	wantText(t, b, "yyyyx")
	if m, ok := s.Doc(first); !ok || m.Text != "yyyyx" || len(e.Buffers()) != 1 {
		t.Errorf("the server has %+v, the editor %d buffers", m, len(e.Buffers()))
	}
	if err := os.Symlink(dir, filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/link", "/folder/link", "/folder/a+b é.txt"} {
		if o, err := e.Open(dir + name); o != b || err != nil {
			t.Errorf("%s is another buffer, %v", name, err)
		}
	}
	n := openText(t, e, mustURI(t, filepath.Join(dir, "folder", "sub", "new")), "")
	if o, ok := e.Buffer(filepath.Join(dir, "sub", "new")); !ok || o != n {
		t.Error("a new file has two names")
	}
	if _, err := e.OpenText(mustURI(t, path), "x", "y"); err == nil {
		t.Error("opened twice")
	}
}

// TestEditsInWireOrder: requests sent without waiting are applied in the order
// in which they were sent.
func TestEditsInWireOrder(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "")
	s.WaitFor("textDocument/didOpen")
	const n = 300
	answers := make([]<-chan fakeserver.Message, n)
	for i := range n {
		_, answers[i] = s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{"documentChanges": []any{
			fakeserver.TextEdits("untitled:1", i+1, at(0, 0, 0, 0, "x"))}}})
	}
	for i, ch := range answers {
		if m := <-ch; string(m.Result) != `{"applied":true}` {
			t.Fatalf("edit %d: %s", i, m.Result)
		}
	}
	wantText(t, b, strings.Repeat("x", n))
}
