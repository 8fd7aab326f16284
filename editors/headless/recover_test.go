package headless

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

// halfSaved returns a session whose process died with the save of several files half
// done: that one begins as its new text does.
func halfSaved(t *testing.T, file, begins string) *session {
	t.Helper()
	script := faultScripts()[0]
	for _, s := range faultScripts() {
		if s.name == "several" {
			script = s
		}
	}
	_, calls := script.after(t)
	for n := range calls {
		r := newSession(t, &script, t.TempDir())
		_ = r.save(dies(n, false))
		if now, _ := os.ReadFile(r.dir + "/w/" + file); strings.HasPrefix(string(now), begins) {
			return r
		}
	}
	t.Fatal("at no call it is new")
	return nil
}

func TestRecoverWaitsWhereItMayNotWrite(t *testing.T) {
	r := halfSaved(t, "edited", "new ")
	now := snapshot(t, r.dir)
	said := ""
	next := disk{
		call: r.script.system(nil), recovered: func(what string) { said += what },
		allow: func(path string) error {
			if filepath.Base(path) == "edited" {
				return errors.New("an editor has it open")
			}
			return nil
		},
	}
	next.recover()
	if !maps.Equal(snapshot(t, r.dir), now) {
		t.Error("files were changed that an editor has open")
	}
	if !strings.Contains(said, "edited: an editor has it open") {
		t.Errorf("said %q", said)
	}
	r.recovered(nil, &tally{})
}

func TestRecoverWaitsForAFolder(t *testing.T) {
	r := halfSaved(t, "edited", "new ")
	now := snapshot(t, r.dir)
	if err := os.Rename(r.dir+"/w", r.dir+"/unmounted"); err != nil {
		t.Fatal(err)
	}
	next := disk{call: r.script.system(nil)}
	next.recover()
	if err := os.Rename(r.dir+"/unmounted", r.dir+"/w"); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(snapshot(t, r.dir), now) {
		t.Error("files were changed")
	}
	r.recovered(nil, &tally{})
}

func TestRecoverLeavesWhatIsNoFolderOfItsOwn(t *testing.T) {
	r := halfSaved(t, "edited", "new ")
	made := r.dir + "/w/sub"
	if err := os.RemoveAll(made); err != nil {
		t.Fatal(err)
	}
	writeFile(t, made, "a file of the person's\n")
	next := disk{call: r.script.system(nil)}
	next.recover()
	if got, err := os.ReadFile(made); err != nil || string(got) != "a file of the person's\n" {
		t.Errorf("%q, %v", got, err)
	}
	wantFile(t, r.dir+"/w/edited", "edited\n")
	r.nothingLeft()
}

// TestRecoverTakesNothingBackTwice: where a step cannot be taken back yet, the others are,
// and what is saved there meanwhile stays.
func TestRecoverTakesNothingBackTwice(t *testing.T) {
	r := halfSaved(t, "linked", "new")
	edited, linked := r.dir+"/w/edited", r.dir+"/w/linked"
	unreadable := disk{call: r.script.system(func(op, path string, do func() error) error {
		if path == edited {
			return &fs.PathError{Op: op, Path: path, Err: syscall.EIO}
		}
		return do()
	})}
	unreadable.recover()
	wantFile(t, linked, "linked, and longer\n")
	writeFile(t, linked, "newand longer\n") // the same once more
	unreadable.recover()
	wantFile(t, linked, "newand longer\n")
	next := disk{call: r.script.system(nil)}
	next.recover()
	wantFile(t, linked, "newand longer\n")
	wantFile(t, edited, "edited\n")
	r.nothingLeft()
}
