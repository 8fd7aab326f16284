package agent_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
)

// TestInspect sees what would be used, what is left over and what is wrong, and leaves
// it all as it is.
func TestInspect(t *testing.T) {
	w := newWorld(t)
	w.open(newHost("Neovim", "/p"), 1)
	w.open(newHost("Zed"), 2)
	w.open(newHost("Helix"), 3)
	w.fake.Started = func(pid int) (time.Time, bool) { return born, pid != 2 }
	if err := os.WriteFile(w.file("3.json"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	folders := w.finder().Inspect()
	if len(folders) != 2 || folders[0].Path != w.dir || folders[0].Fault != nil || folders[0].Missing || len(folders[0].Files) != 3 {
		t.Fatalf("got %+v", folders)
	}
	if !folders[1].Missing || folders[1].Fault != nil {
		t.Errorf("the second: got %+v, want that it is not there", folders[1])
	}
	files := folders[0].Files
	if f := files[0]; f.Entry.Name != "Neovim" || f.Stale || f.Fault != nil {
		t.Errorf("a live one: %+v", f)
	}
	if f := files[1]; !f.Stale || f.Fault != nil || f.Path != w.file("2.json") {
		t.Errorf("one that has ended: %+v", f)
	}
	if f := files[2]; f.Stale || f.Fault == nil || !strings.Contains(f.Fault.Error(), "does not hold") {
		t.Errorf("garbage: %+v", f)
	}
	for _, name := range []string{"1.json", "2.json", "3.json"} {
		if _, err := os.Lstat(w.file(name)); err != nil {
			t.Errorf("the inspection has removed %s", name)
		}
	}
}

// TestInspectNamed: the editor that PATCHLS_SOCKET names is seen wherever it is, and once.
func TestInspectNamed(t *testing.T) {
	w := newWorld(t)
	w.open(newHost("Neovim"), 1)
	t.Setenv("PATCHLS_SOCKET", w.file("1.sock"))
	if got := w.finder().Inspect(); len(got) != 2 {
		t.Errorf("got %+v, want the two usual folders", got)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	got := w.finder().Inspect()
	if last := got[len(got)-1]; last.Path != w.dir || len(last.Files) != 1 || last.Files[0].Entry.Name != "Neovim" {
		t.Errorf("got %+v, want Neovim last", got)
	}
}

func TestInspectFolders(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, w *world)
		missing bool
		noPlace bool
		want    string // in the fault
	}{
		{"none yet", func(*testing.T, *world) {}, true, false, ""},
		{"none, nor a place for it", func(t *testing.T, w *world) { t.Setenv("XDG_RUNTIME_DIR", filepath.Join(w.dir, "gone")) }, true, true, ""},
		{"others may enter", func(t *testing.T, w *world) { mkdir(t, w.dir, 0o755) }, false, false, "open to others"},
		{"in another user's", func(_ *testing.T, w *world) {
			w.fake.UID = 12345
			w.fake.Owner = func(fs.FileInfo) (int, bool) { return 12346, true }
		}, true, false, "no folder can be made"},
		{"in one of everyone's", func(t *testing.T, w *world) {
			w.fake.UID = 12345
			w.fake.Owner = func(fs.FileInfo) (int, bool) { return 0, true }
			mkdir(t, filepath.Dir(w.dir), 0o777|fs.ModeSticky)
		}, true, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.prepare(t, w)
			got := w.finder().Inspect()[0]
			if got.Missing != tt.missing || got.NoPlace != tt.noPlace || (got.Fault == nil) != (tt.want == "") || got.Fault != nil && !strings.Contains(got.Fault.Error(), tt.want) {
				t.Errorf("got %+v, want missing %v, no place %v, %q", got, tt.missing, tt.noPlace, tt.want)
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
