package disk

import (
	"errors"
	"maps"
	"os"
	"testing"
)

// TestOnlyBeneathTheRoot: links lead to files beneath the root, and to no others.
func TestOnlyBeneathTheRoot(t *testing.T) {
	ws, out := folder(t), t.TempDir()
	writeFile(t, out+"/f", "out")
	if err := os.Mkdir(ws+"/d", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, ws+"/d/f", "in")
	for link, to := range map[string]string{"absolute": ws + "/d", "out": out, "file": out + "/f", "dangling": out + "/new"} {
		if err := os.Symlink(to, ws+"/"+link); err != nil {
			t.Skip("there are no links here: ", err)
		}
	}
	before := snapshot(t, out)
	d := Disk{Root: ws}
	if f, err := d.Read(ws + "/absolute/f"); err != nil || f.Text != "in" {
		t.Errorf("%q, %v", f.Text, err)
	}
	if err := write(d, ws+"/absolute/f", []byte("new"), StampOf([]byte("in"))); err != nil {
		t.Error(err)
	}
	for _, path := range []string{ws + "/out/f", ws + "/file", out + "/f"} {
		if f, err := d.Read(path); !errors.Is(err, ErrOutside) {
			t.Errorf("read %s: %q, %v", path, f.Text, err)
		}
	}
	for _, path := range []string{ws + "/out/f", ws + "/out/new", ws + "/out/deep/new", ws + "/file", ws + "/dangling", out + "/new"} {
		if err := write(d, path, []byte("new"), ""); !errors.Is(err, ErrOutside) {
			t.Errorf("write %s: %v", path, err)
		}
	}
	if now := snapshot(t, out); !maps.Equal(now, before) {
		t.Errorf("outside has %q, want %q", now, before)
	}
	wantFile(t, ws+"/d/f", "new")
}

// TestAJournalLeadsNowhereElse: what another process left half saved in another folder is
// left to a process that saves there.
func TestAJournalLeadsNowhereElse(t *testing.T) {
	c := halfSaved(t, "edited", "new ")
	now := snapshot(t, c.dir)
	next := c.next(nil)
	next.Root = t.TempDir()
	next.Recovered = func(what string) { t.Errorf("said %q", what) }
	next.Recover()
	if !maps.Equal(snapshot(t, c.dir), now) {
		t.Error("files were changed that are not beneath the root")
	}
	c.recovered()
}

// TestARootThatComesToLeadOut: a link takes the place of the root, or of a folder above. Nothing is read or written there.
func TestARootThatComesToLeadOut(t *testing.T) {
	for _, which := range []string{"top/ws", "top"} {
		base, out := folder(t), t.TempDir()
		ws := base + "/top/ws"
		if err := os.MkdirAll(ws, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(out+"/ws", 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{ws + "/f", out + "/f", out + "/ws/f"} {
			writeFile(t, f, "one")
		}
		if err := os.Rename(base+"/"+which, base+"/away"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(out, base+"/"+which); err != nil {
			t.Skip("there are no links here: ", err)
		}
		before := snapshot(t, out)
		d := Disk{Root: ws}
		if f, err := d.Read(ws + "/f"); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %q, %v", which, f.Text, err)
		}
		_ = write(d, ws+"/f", []byte("new"), StampOf([]byte("one")))
		_ = write(d, ws+"/new", []byte("new"), "")
		if after := snapshot(t, out); !maps.Equal(before, after) {
			t.Errorf("%s: outside is now %v", which, after)
		}
	}
}
