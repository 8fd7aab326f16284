package agent_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
)

// TestInspect: Inspect reports which files would be used, which are left over and which
// have a fault, and changes nothing.
func TestInspect(t *testing.T) {
	w := newWorld(t)
	w.open(newHost("Neovim", "/p"), 1)
	w.open(newHost("Zed"), 2)
	w.open(newHost("Helix"), 3)
	w.fake.Started = func(pid int) (time.Time, bool) { return born, pid != 2 }
	if err := os.WriteFile(w.file("3.json"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := w.finder().Inspect()
	if folder.Path != w.dir || folder.Fault != nil || folder.Missing || len(folder.Files) != 3 {
		t.Fatalf("got %+v", folder)
	}
	files := folder.Files
	if f := files[0]; f.Entry.Name != "Neovim" || f.Fault != nil {
		t.Errorf("a live one: %+v", f)
	}
	if f := files[1]; !errors.Is(f.Fault, agent.ErrStale) || f.Path != w.file("2.json") {
		t.Errorf("one that has ended: %+v", f)
	}
	if f := files[2]; f.Fault == nil || !strings.Contains(f.Fault.Error(), "does not hold") {
		t.Errorf("garbage: %+v", f)
	}
	for _, name := range []string{"1.json", "2.json", "3.json"} {
		if _, err := os.Lstat(w.file(name)); err != nil {
			t.Errorf("the inspection has removed %s", name)
		}
	}
}

func TestInspectFolders(t *testing.T) {
	unixAlone(t)
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, w *world)
		missing bool
		want    string // in the fault
	}{
		{"none yet", func(*testing.T, *world) {}, true, ""},
		{"no folder of the state yet", func(t *testing.T, w *world) { t.Setenv("HOME", mkdir(t, w.sub("new"), 0o700)) }, true, ""},
		{"no home", func(t *testing.T, _ *world) { t.Setenv("HOME", "") }, false, "HOME"},
		{"a relative home", func(t *testing.T, _ *world) { t.Setenv("HOME", "home") }, false, "not an absolute path"},
		{"others may enter", func(t *testing.T, w *world) { mkdir(t, w.dir, 0o755) }, false, "open to others"},
		{"in another user's", func(_ *testing.T, w *world) {
			w.fake.UID = 12345
			w.fake.Owner = func(string, fs.FileInfo) (int, bool) { return 12346, true }
		}, true, "no folder can be made"},
		{"in one of everyone's", func(t *testing.T, w *world) {
			w.fake.UID = 12345
			w.fake.Owner = func(string, fs.FileInfo) (int, bool) { return 0, true }
			mkdir(t, filepath.Dir(w.dir), 0o777|fs.ModeSticky)
		}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.prepare(t, w)
			got := w.finder().Inspect()
			if got.Missing != tt.missing || (got.Fault == nil) != (tt.want == "") || got.Fault != nil && !strings.Contains(got.Fault.Error(), tt.want) {
				t.Errorf("got %+v, want missing %v, %q", got, tt.missing, tt.want)
			}
		})
	}
}

func TestRootOf(t *testing.T) {
	dir := tree(t, "p/src/a.go")
	symlink(t, "p", filepath.Join(dir, "link"))
	l := agent.Live{Entry: agent.Entry{Roots: []string{dir, filepath.Join(dir, "link")}}}
	for at, want := range map[string]string{
		filepath.Join(dir, "p", "src"): filepath.Join(dir, "link"),
		filepath.Join(dir, "q"):        dir,
		"/":                            "",
	} {
		if got := l.RootOf(at); got != want {
			t.Errorf("%s: got %q, want %q", at, got, want)
		}
	}
}
