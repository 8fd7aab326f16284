package personas

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestReload takes the disk's text with one small change, which can be undone.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(t *testing.T) {
		path := writeFile(t, dir+"/f", "one\nt😀o\nthree\n")
		e, s := startAs(t, named(t, ""))
		b := open(t, e, path)
		writeFile(t, path, "\uFEFFone\nt😁o\nthree\n")
		if err := Reload(e, b); err != nil {
			t.Fatal(err)
		}
		wantBoth(t, s, b, "one\nt😁o\nthree\n")
		if b.Dirty() {
			t.Error("dirty")
		}
		if p := string(s.WaitFor("textDocument/didChange")); !strings.Contains(p, `"text":"😁"`) {
			t.Errorf("not minimal: %s", p)
		}
		if err := Reload(e, b); err != nil || b.Version() != 2 {
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
		if err := Reload(e, b); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}
