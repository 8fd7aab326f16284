package headless

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestReload takes the disk's text with one small change, which can be undone.
func TestReload(t *testing.T) {
	path := writeFile(t, t.TempDir()+"/f", "one\nt😀o\nthree\n")
	e, s := start(t, Options{}, nil)
	b := open(t, e, path)
	writeFile(t, path, "\uFEFFone\nt😁o\nthree\n")
	if err := b.Reload(); err != nil {
		t.Fatal(err)
	}
	wantText(t, b, "one\nt😁o\nthree\n")
	if b.Dirty() {
		t.Error("dirty")
	}
	if p := string(s.WaitFor("textDocument/didChange")); !strings.Contains(p, `"text":"😁"`) {
		t.Errorf("not minimal: %s", p)
	}
	if err := b.Reload(); err != nil || b.Version() != 2 {
		t.Errorf("%v, version %d", err, b.Version())
	}
	if b.Undo(); b.Text() != "one\nt😀o\nthree\n" || !b.Dirty() {
		t.Errorf("undo gave %q, dirty %t", b.Text(), b.Dirty())
	}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "\uFEFFone\nt😀o\nthree\n")
	_ = os.Remove(path)
	if err := b.Reload(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := openText(t, e, "untitled:1", "").Reload(); !errors.Is(err, ErrNoFile) {
		t.Error(err)
	}
}
