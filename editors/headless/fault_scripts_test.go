package headless

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// faultScript is a save that faults are injected into. Its files are in dir/w.
type faultScript struct {
	name    string
	files   map[string]string
	prepare func(t *testing.T, dir string)
	// edit makes the edits that are to be saved, and returns the URIs of their files.
	edit func(t *testing.T, e *Editor, s *fakeserver.Server, dir string) (uris []string)
	// refuses are calls that the file system does not know.
	refuses string
}

var (
	crlf   = text.BOM + strings.Repeat("a line\r\n", 9) + "no end"
	severe = map[string]string{"edited": "edited\n", "deleted": "deleted\n", "renamed": "renamed\n", "linked": "linked, and longer\n", "same": "stays\n"}
)

// editFile inserts at the start of a file.
func editFile(name string) func(*testing.T, *Editor, *fakeserver.Server, string) []string {
	return func(t *testing.T, e *Editor, _ *fakeserver.Server, dir string) []string {
		t.Helper()
		b := open(t, e, filepath.Join(dir, "w", name))
		if err := b.Insert(0, "new "); err != nil {
			t.Fatal(err)
		}
		return []string{b.URI()}
	}
}

func faultScripts() []faultScript {
	one := map[string]string{"f": "the text of f\n"}
	made := func(t *testing.T, e *Editor, s *fakeserver.Server, dir string) []string {
		t.Helper()
		return []string{openText(t, e, mustURI(t, dir+"/w/sub/deep/f"), "a new file\n").URI()}
	}
	list := []faultScript{
		{name: "a file", files: one, edit: editFile("f")},
		{name: "a BOM and CRLF", files: map[string]string{"f": crlf}, edit: editFile("f")},
		{name: "an empty file", files: map[string]string{"f": ""}, edit: editFile("f")},
		{name: "a new file", edit: made},
		{name: "a new empty file", edit: func(t *testing.T, e *Editor, _ *fakeserver.Server, dir string) []string {
			t.Helper()
			return []string{openText(t, e, mustURI(t, dir+"/w/f"), "").URI()}
		}},
		{name: "by a symlink", files: one, prepare: func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Symlink("f", dir+"/w/link"); err != nil {
				t.Skip("there are no symlinks here: ", err)
			}
		}, edit: editFile("link")},
		{name: "of two names", files: one, prepare: func(t *testing.T, dir string) { t.Helper(); linkTo(t, dir, "f", "g") }, edit: editFile("f")},
		{name: "several", files: severe, prepare: linkedOne, edit: severalFaults},
		{name: "undo of several", files: severe, prepare: linkedOne, edit: undoneFaults},
	}
	for _, s := range list {
		switch s.name {
		case "a file", "several", "undo of several", "a new file", "a new empty file":
			for _, refuses := range []string{"exchange", "exchange link"} {
				s := s
				s.name += ", no " + refuses
				s.refuses = refuses
				if refuses == "exchange link" {
					s.prepare = nil // nothing can have two names
				}
				list = append(list, s)
			}
		}
	}
	return list
}

func linkTo(t *testing.T, dir, old, next string) {
	t.Helper()
	if err := os.Link(dir+"/w/"+old, dir+"/w/"+next); err != nil {
		t.Skip("there are no hard links here: ", err)
	}
}

func linkedOne(t *testing.T, dir string) { t.Helper(); linkTo(t, dir, "linked", "other name") }

// severalFaults is a patch of each kind of change at once.
func severalFaults(t *testing.T, e *Editor, s *fakeserver.Server, dir string) []string {
	t.Helper()
	uri := func(name string) string { return mustURI(t, dir+"/w/"+name) }
	s.Apply("", deleteFile(uri("deleted")), fakeserver.TextEdits(uri("edited"), nil, at(0, 0, 0, 0, "new ")),
		fakeserver.TextEdits(uri("linked"), nil, at(0, 0, 0, 8, "new")),
		renameFile(uri("renamed"), uri("moved")), createFile(uri("sub/made"), nil),
		fakeserver.TextEdits(uri("sub/made"), nil, at(0, 0, 0, 0, "made\n"))).MustApply(t)
	return []string{uri("deleted"), uri("edited"), uri("linked"), uri("moved"), uri("sub/made")}
}

// undoneFaults saves a patch as severalFaults makes it, and then undoes it.
func undoneFaults(t *testing.T, e *Editor, s *fakeserver.Server, dir string) []string {
	t.Helper()
	uris := severalFaults(t, e, s, dir)
	if err := e.SaveAll(uris...); err != nil {
		t.Fatal(err)
	}
	uri := func(name string) string { return mustURI(t, dir+"/w/"+name) }
	s.Apply("", deleteFile(uri("sub/made")), renameFile(uri("moved"), uri("renamed")),
		fakeserver.TextEdits(uri("linked"), nil, at(0, 0, 0, 3, "linked, ")), fakeserver.TextEdits(uri("edited"), nil, at(0, 0, 0, 4, "")),
		createFile(uri("deleted"), nil), fakeserver.TextEdits(uri("deleted"), nil, at(0, 0, 0, 0, "deleted\n"))).MustApply(t)
	return []string{uri("sub/made"), uri("renamed"), uri("linked"), uri("edited"), uri("deleted")}
}

// session is one run of a script in a folder of its own.
type session struct {
	t      *testing.T
	script *faultScript
	dir    string
	e      *Editor
	uris   []string
	before map[string]string // as snapshot gives it
	texts  map[string]string // of the buffers, by URI
}

func newSession(t *testing.T, script *faultScript, dir string) *session {
	t.Helper()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("LocalAppData", filepath.Join(dir, "home"))
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	if err := os.Mkdir(dir+"/w", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range script.files {
		writeFile(t, dir+"/w/"+name, content)
	}
	if script.prepare != nil {
		script.prepare(t, dir)
	}
	e, s := start(t, Options{}, nil)
	e.disk.Call = script.system(nil)
	r := &session{t: t, script: script, dir: dir, e: e, uris: script.edit(t, e, s, dir), texts: map[string]string{}}
	r.before = snapshot(t, dir)
	for _, b := range e.Buffers() {
		r.texts[b.URI()] = b.Text()
	}
	return r
}

// save saves all files; call makes each call to the system.
func (r *session) save(call func(op, path string, do func() error) error) error {
	r.e.disk.Call = r.script.system(call)
	defer func() { r.e.disk.Call = r.script.system(nil) }()
	return r.e.SaveAll(r.uris...)
}

// system is the file system of the script, without waiting for a real disk.
func (s *faultScript) system(call func(op, path string, do func() error) error) func(op, path string, do func() error) error {
	return func(op, path string, do func() error) error {
		if op == "sync" {
			do = func() error { return nil }
		}
		switch {
		case !strings.Contains(s.refuses, op):
		case op == "exchange":
			do = func() error { return errors.ErrUnsupported }
		case op == "link":
			do = func() error { return &os.LinkError{Op: op, New: path, Err: errors.ErrUnsupported} }
		}
		if call == nil {
			return do()
		}
		return call(op, path, do)
	}
}

// snapshot returns all names in dir/w, with the mode and the content of files.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir+"/w", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case d.Type().IsRegular():
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(raw)
		case d.Type() == fs.ModeSymlink:
			content, _ = os.Readlink(path)
		}
		all[path[len(dir+"/w"):]] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// after returns the snapshot after a complete save, and the calls that the save makes.
func (s *faultScript) after(t *testing.T) (all map[string]string, calls []string) {
	t.Helper()
	t.Run("no fault", func(t *testing.T) {
		r := newSession(t, s, t.TempDir())
		err := r.save(func(op, _ string, do func() error) error {
			calls = append(calls, op)
			return do()
		})
		if err != nil {
			t.Fatal(err)
		}
		all = snapshot(t, r.dir)
		r.nothingLeft()
	})
	return all, calls
}

// left returns the temporary files and the journals that are there.
func (r *session) left() (list []string) {
	_ = filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.Contains(d.Name(), ".patchls-") || strings.HasSuffix(d.Name(), ".journal")) {
			list = append(list, path)
		}
		return nil
	})
	return list
}

func (r *session) nothingLeft() {
	r.t.Helper()
	if list := r.left(); len(list) > 0 {
		r.t.Errorf("left: %v", list)
	}
}
