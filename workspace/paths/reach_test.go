package paths

import (
	"os"
	"testing"

	"github.com/patchls/patchls/edits"
)

// name gives a file a second name, and says that the editor has saved it since.
func (f folder) name(t *testing.T, second, file string, o *Opened) {
	t.Helper()
	if err := os.Link(f.path(file), f.path(second)); err != nil {
		t.Fatal(err)
	}
	o.Saved(FileKey(f.path(file)))
}

// TestReachOfAnOpenDocument: what may be done to a document after other programs have changed what is at its name.
func TestReachOfAnOpenDocument(t *testing.T) {
	for _, tt := range []struct {
		name    string
		happens func(t *testing.T, dir folder, o *Opened)
		access  edits.Kind // "" if it may
		merge   edits.Kind
		save    edits.Kind
	}{
		{name: "nothing"},
		{name: "a program saves by renaming", happens: func(t *testing.T, dir folder, _ *Opened) {
			if err := os.Rename(dir.add(t, "work/new", "b"), dir.path("work/a.go")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "the file is deleted", happens: func(_ *testing.T, dir folder, _ *Opened) { _ = os.Remove(dir.path("work/a.go")) }},
		{name: "a link to another file inside", happens: func(t *testing.T, dir folder, _ *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			dir.link(t, "work/a.go", "b.go")
		}, merge: edits.Stale, save: edits.Stale},
		{name: "a link to another file inside, which the user has saved", happens: func(t *testing.T, dir folder, o *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			dir.link(t, "work/a.go", "b.go")
			o.Saved(FileKey(dir.path("work/a.go")))
		}},
		{name: "a link that leads out", happens: func(t *testing.T, dir folder, _ *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			dir.link(t, "work/a.go", "$/out.go")
		}, access: edits.OutsideWorkspace, merge: edits.OutsideWorkspace, save: edits.OutsideWorkspace},
		{name: "a dangling link that leads out", happens: func(t *testing.T, dir folder, _ *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			dir.link(t, "work/a.go", "$/none.go")
		}, access: edits.OutsideWorkspace, merge: edits.OutsideWorkspace, save: edits.OutsideWorkspace},
		{name: "a link in a circle", happens: func(t *testing.T, dir folder, _ *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			dir.link(t, "work/a.go", "a.go")
		}, merge: edits.FileNotFound},
		{name: "a save that is reported after the editor has read a file outside", happens: func(t *testing.T, dir folder, o *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			dir.link(t, "work/a.go", "$/out.go")
			p, key := Policy{Roots: Pin(dir.path("work"))}, FileKey(dir.path("work/a.go"))
			if _, err := p.Reach(p.Target(key, nil), o, Compare); !edits.IsKind(err, edits.OutsideWorkspace) {
				t.Fatal(err)
			}
			o.Reloaded()
			_ = os.Remove(dir.path("work/a.go"))
			dir.add(t, "work/a.go", "a\n")
			o.Saved(key)
		}, access: edits.OutsideWorkspace, merge: edits.OutsideWorkspace, save: edits.OutsideWorkspace},
		{name: "another name of a file", happens: func(t *testing.T, dir folder, _ *Opened) {
			_ = os.Remove(dir.path("work/a.go"))
			if err := os.Link(dir.path("out.go"), dir.path("work/a.go")); err != nil {
				t.Fatal(err)
			}
		}, merge: edits.Stale},
		{name: "another name of a file, as in a store of packages", happens: func(t *testing.T, dir folder, o *Opened) {
			dir.name(t, "store.go", "work/a.go", o)
		}},
		{name: "a file gets another name", happens: func(t *testing.T, dir folder, _ *Opened) {
			if err := os.Link(dir.path("work/a.go"), dir.path("store.go")); err != nil {
				t.Fatal(err)
			}
		}, merge: edits.Stale},
		{name: "another name of a file in place of one that had two", happens: func(t *testing.T, dir folder, o *Opened) {
			dir.name(t, "work/a2.go", "work/a.go", o)
			_ = os.Remove(dir.path("work/a.go"))
			if err := os.Link(dir.path("out.go"), dir.path("work/a.go")); err != nil {
				t.Fatal(err)
			}
		}, merge: edits.Stale},
		{name: "a program saves a file of two names by renaming", happens: func(t *testing.T, dir folder, o *Opened) {
			dir.name(t, "work/a2.go", "work/a.go", o)
			if err := os.Rename(dir.add(t, "work/new", "b"), dir.path("work/a.go")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a program saves a file of two names in place", happens: func(t *testing.T, dir folder, o *Opened) {
			dir.name(t, "work/a2.go", "work/a.go", o)
			dir.add(t, "work/a.go", "b")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newFolder(t)
			for _, name := range []string{"work/a.go", "work/b.go", "out.go"} {
				dir.add(t, name, "a\n")
			}
			p, key := Policy{Roots: Pin(dir.path("work"))}, FileKey(dir.path("work/a.go"))
			o := NewOpened(key, nil, false)
			at, err := p.Reach(p.Target(key, nil), o, Compare)
			if err != nil || !o.Seen(at, true) {
				t.Fatal(err)
			}
			if tt.happens != nil {
				tt.happens(t, dir, o)
			}
			for op, want := range map[Operation]edits.Kind{Access: tt.access, Merge: tt.merge, Save: tt.save} {
				_, err := p.Reach(at, o, op)
				if want == "" && err != nil || want != "" && !edits.IsKind(err, want) {
					t.Errorf("operation %d: %v, want %q", op, err, want)
				}
			}
		})
	}
}
