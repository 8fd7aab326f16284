package headless

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// halfSaved returns a session whose process died with the save of several files half
// done: one at least has the new text.
func halfSaved(t *testing.T) *session {
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
		if edited, _ := os.ReadFile(r.dir + "/w/edited"); strings.HasPrefix(string(edited), "new ") {
			return r
		}
	}
	t.Fatal("at no call one file is new")
	return nil
}

func TestRecoverWaitsWhereItMayNotWrite(t *testing.T) {
	r := halfSaved(t)
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
	r := halfSaved(t)
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
	r := halfSaved(t)
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
}
