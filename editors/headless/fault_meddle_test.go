package headless

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/disk"
)

const theirs = "what another program wrote\n"

// meddlers are what another program does to a file of a save just before a call.
var meddlers = map[string]func(t *testing.T, path string){
	"replaced": func(t *testing.T, path string) {
		t.Helper()
		writeFile(t, path+"~", theirs)
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
	},
	"written": func(t *testing.T, path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(theirs), 0o644); err != nil {
			t.Fatal(err)
		}
	},
	"deleted": func(_ *testing.T, path string) { _ = os.Remove(path) },
	"made a symlink": func(t *testing.T, path string) {
		t.Helper()
		_ = os.Remove(path)
		if err := os.Symlink(writeFile(t, filepath.Dir(path)+"/elsewhere", theirs), path); err != nil {
			t.Skip("there are no symlinks here: ", err)
		}
	},
	"folder removed": func(t *testing.T, path string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
	},
}

// narrow reports whether op is a call just before which the editor can no longer notice a write
// of another program: between its last check and its own write, if a file is overwritten in
// place because it has several names, or if two names cannot be exchanged.
func narrow(script *faultScript, op string) bool {
	switch {
	case strings.Contains(script.refuses, "link"):
		return op == "rename" || op == "open" || op == "fstat" || op == "read" || op == "close"
	case script.refuses != "" && op == "rename":
		return true
	}
	return script.files["linked"]+script.files["f"] != "" && script.prepare != nil && (op == "write" || op == "truncate" || op == "read" || op == "close")
}

// TestFaultMeddled has another program change one of the files just before each call of
// each save. What it wrote stays, or the save was over; the others are all old or all new.
func TestFaultMeddled(t *testing.T) {
	table := newFaultTable()
	for _, script := range faultScripts() {
		t.Run(script.name, func(t *testing.T) {
			after, calls := script.after(t)
			files := slices.Sorted(maps.Keys(after))
			files = slices.DeleteFunc(files, func(path string) bool { return path == "" || path == "/link" || !strings.HasPrefix(after[path], "-") })
			if script.name[0] == 'u' || script.name[0] == 's' {
				files = append(files, "/deleted", "/moved")
			}
			for _, kind := range slices.Sorted(maps.Keys(meddlers)) {
				for n := range calls {
					for _, file := range files {
						if !table.takes() {
							continue
						}
						t.Run(fmt.Sprintf("%s/%d%s", kind, n, file), func(t *testing.T) {
							r := newSession(t, &script, t.TempDir())
							r.meddled(after, kind, n, file, table)
						})
					}
				}
			}
		})
	}
	table.log(t)
}

func (r *session) meddled(after map[string]string, kind string, n int, file string, table *faultTable) {
	r.t.Helper()
	path, i, at := r.dir+"/w"+file, -1, ""
	var then map[string]string
	err := r.save(func(op, _ string, do func() error) error {
		if i++; i == n {
			if _, err := os.Stat(filepath.Dir(path)); err == nil {
				meddlers[kind](r.t, path)
				at, then = op, snapshot(r.t, r.dir)
			}
		}
		return do()
	})
	if at == "" { // no other program can be in a folder that is not there
		if err != nil {
			r.t.Error(err)
		}
		r.nothingLeft()
		r.is(snapshot(r.t, r.dir), after, false)
		return
	}
	r.t.Logf("%s: %v", at, err)
	r.keepsTexts()
	now := snapshot(r.t, r.dir)
	saved := err == nil || errors.Is(err, disk.ErrNotDurable)
	lost := kind != "deleted" && kind != "folder removed" && !r.keeps(now, then, file, err)
	name := kind
	if narrow(r.script, at) {
		name += ", within the last call"
	}
	count := table.of(name)
	switch {
	case saved:
		count.saved++
	default:
		count.refused++
	}
	if lost {
		count.lost++
		if name == kind {
			r.t.Errorf("what the other program wrote is lost: before %q\n   now %q", then[file], now)
		}
	}
	if kind == "folder removed" {
		r.nothingLeftBut(err)
		return
	}
	want := r.before
	if saved {
		want = after
	}
	for other := range r.before {
		if r.sameFile(other, file) || strings.Contains(other, "elsewhere") {
			continue
		}
		if now[other] != want[other] && (err == nil || !strings.Contains(err.Error(), other)) {
			r.t.Errorf("%s has %q, want %q: %v", other, now[other], want[other], err)
		}
	}
	r.nothingLeftBut(err)
}

// sameFile reports whether the script has the same text under both names.
func (r *session) sameFile(a, b string) bool {
	names := [][]string{{"/f", "/g"}, {"/linked", "/other name"}}
	return a == b || slices.ContainsFunc(names, func(l []string) bool { return slices.Contains(l, a) && slices.Contains(l, b) })
}

// keeps reports whether what another program has put at file is still there, or where
// the error says.
func (r *session) keeps(now, then map[string]string, file string, err error) bool {
	if now[file] == then[file] || r.sameFile(file, "/g") && strings.HasSuffix(now["/g"], theirs) {
		return true
	}
	for path, what := range now {
		if what == then[file] && err != nil && strings.Contains(err.Error(), path) {
			return true
		}
	}
	return false
}

// nothingLeftBut what the error names.
func (r *session) nothingLeftBut(err error) {
	r.t.Helper()
	for _, path := range r.left() {
		if err == nil || !strings.Contains(err.Error(), path) {
			r.t.Errorf("left: %s", path)
		}
	}
}
