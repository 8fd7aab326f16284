package disk

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// crash is a save of several files whose process died.
type crash struct {
	t      *testing.T
	dir    string
	before map[string]string // as snapshot gives it
}

// halfSaved returns a crash with the save half done: the file begins as its new text
// does.
func halfSaved(t *testing.T, file, begins string) *crash {
	t.Helper()
	for n := 0; ; n++ {
		dir := folder(t)
		for name, content := range map[string]string{
			"edited": "edited\n", "deleted": "deleted\n", "renamed": "renamed\n", "linked": "linked, and longer\n", "same": "stays\n",
		} {
			writeFile(t, dir+"/"+name, content)
		}
		if err := os.Link(dir+"/linked", dir+"/other name"); err != nil {
			t.Skip("there are no hard links here: ", err)
		}
		c := &crash{t, dir, snapshot(t, dir)}
		if c.save(n) == nil {
			t.Fatal("at no call it is new")
		}
		if now, _ := os.ReadFile(dir + "/" + file); strings.HasPrefix(string(now), begins) {
			return c
		}
	}
}

// save makes a change of each kind, until the process dies at call n.
func (c *crash) save(n int) error {
	removes := func(name string) *Change {
		gone := writes(c.t, c.dir+"/"+name, "")
		gone.Remove = true
		return gone
	}
	changes := []*Change{
		removes("deleted"), writes(c.t, c.dir+"/edited", "new edited\n"), writes(c.t, c.dir+"/linked", "newand longer\n"),
		writes(c.t, c.dir+"/moved", "renamed\n"), removes("renamed"), writes(c.t, c.dir+"/sub/made", "made\n"),
	}
	return c.dies(n, changes...)
}

// dies commits changes in a process that dies at call n.
func (c *crash) dies(n int, changes ...*Change) error {
	i := -1
	_, err := c.next(func(_, _ string, do func() error) error {
		if i++; i >= n {
			return errors.New("the process is dead")
		}
		return do()
	}).Commit(changes...)
	return err
}

// next is the disk of a process, without waiting for a real one.
func (c *crash) next(call func(op, path string, do func() error) error) Disk {
	return Disk{Call: func(op, path string, do func() error) error {
		if op == "sync" {
			do = func() error { return nil }
		}
		if call == nil {
			return do()
		}
		return call(op, path, do)
	}}
}

// recovered starts the next process, which must restore all files.
func (c *crash) recovered() {
	c.t.Helper()
	c.next(nil).Recover()
	if now := snapshot(c.t, c.dir); !maps.Equal(now, c.before) {
		c.t.Errorf("disk has  %q\n   want %q", now, c.before)
	}
	c.nothingLeft()
}

// nothingLeft: there are no temporary files and no journals.
func (c *crash) nothingLeft() {
	c.t.Helper()
	for path := range snapshot(c.t, filepath.Dir(c.dir)) {
		if strings.Contains(path, ".patchls-") || strings.HasSuffix(path, journalExt) {
			c.t.Errorf("left: %s", path)
		}
	}
}

// snapshot tells all that is in dir: of files the mode and the content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var content []byte
		if d.Type().IsRegular() {
			content, err = os.ReadFile(path)
		}
		all[path] = info.Mode().String() + " " + string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRecoverGoesByHomeAlone: recovery depends on no variable but HOME; processes may differ in others.
func TestRecoverGoesByHomeAlone(t *testing.T) {
	c := halfSaved(t, "edited", "new ")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	c.recovered()
}

func TestRecoverWaitsWhereItMayNotWrite(t *testing.T) {
	c := halfSaved(t, "edited", "new ")
	now := snapshot(t, c.dir)
	said := ""
	next := c.next(nil)
	next.Recovered = func(what string) { said += what }
	next.AllowSave = func(path string) error {
		if filepath.Base(path) == "edited" {
			return errors.New("an editor has it open")
		}
		return nil
	}
	next.Recover()
	if !maps.Equal(snapshot(t, c.dir), now) {
		t.Error("files were changed that an editor has open")
	}
	if !strings.Contains(said, "edited: an editor has it open") {
		t.Errorf("said %q", said)
	}
	c.recovered()
}

func TestRecoverWaitsForAFolder(t *testing.T) {
	c := halfSaved(t, "edited", "new ")
	now := snapshot(t, c.dir)
	if err := os.Rename(c.dir, c.dir+" unmounted"); err != nil {
		t.Fatal(err)
	}
	c.next(nil).Recover()
	if err := os.Rename(c.dir+" unmounted", c.dir); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(snapshot(t, c.dir), now) {
		t.Error("files were changed")
	}
	c.recovered()
}

func TestRecoverLeavesWhatIsNoFolderOfItsOwn(t *testing.T) {
	c := halfSaved(t, "edited", "new ")
	made := c.dir + "/sub"
	if err := os.RemoveAll(made); err != nil {
		t.Fatal(err)
	}
	writeFile(t, made, "a file of the user's\n")
	c.next(nil).Recover()
	wantFile(t, made, "a file of the user's\n")
	wantFile(t, c.dir+"/edited", "edited\n")
	c.nothingLeft()
}

// TestRecoverTakesNothingBackTwice: if a step cannot be undone yet, the other steps are,
// and files saved in the meantime stay.
func TestRecoverTakesNothingBackTwice(t *testing.T) {
	c := halfSaved(t, "linked", "new")
	edited, linked := c.dir+"/edited", c.dir+"/linked"
	unreadable := c.next(func(op, path string, do func() error) error {
		if path == edited {
			return &fs.PathError{Op: op, Path: path, Err: syscall.EIO}
		}
		return do()
	})
	unreadable.Recover()
	wantFile(t, linked, "linked, and longer\n")
	writeFile(t, linked, "newand longer\n") // the same once more
	unreadable.Recover()
	wantFile(t, linked, "newand longer\n")
	c.next(nil).Recover()
	wantFile(t, linked, "newand longer\n")
	wantFile(t, edited, "edited\n")
	c.nothingLeft()
}
