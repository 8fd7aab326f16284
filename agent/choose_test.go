package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
)

// TestTheEditorWithUnsavedTextIsMeant: whichever editor was active last, has the deeper folder or is named in the
// environment.
func TestTheEditorWithUnsavedTextIsMeant(t *testing.T) {
	dir := tree(t, "a.go", "b.go", "c.go", "sub/d.go", "x:y.txt", "note:a.md")
	symlink(t, "a.go", filepath.Join(dir, "alias.go"))
	uri := func(name string) string {
		if strings.HasPrefix(name, "untitled:") {
			return name
		}
		return fileURI(filepath.Join(dir, name))
	}
	for _, tt := range []struct {
		name            string
		about           agent.About
		first, second   []string // unsaved there; the first has all files open, and was active last
		named           string   // in PATCHLS_SOCKET
		readOnly        bool     // the first cannot be edited
		want, errorSays string
		rivals          int // more than one
	}{
		{name: "no unsaved text", about: agent.About{Files: []string{"a.go"}}, want: "first"},
		{name: "unsaved in the other", about: agent.About{Files: []string{"a.go"}}, second: []string{"a.go"}, want: "second"},
		{name: "another file is unsaved there", about: agent.About{Files: []string{"b.go"}}, second: []string{"a.go"}, want: "first"},
		{name: "by a link", about: agent.About{Files: []string{"alias.go"}}, second: []string{"a.go"}, want: "second"},
		{name: "opened by a link", about: agent.About{Files: []string{"a.go"}}, second: []string{"alias.go"}, want: "second"},
		{name: "the second file of a patch", about: agent.About{Files: []string{"b.go", "a.go"}}, second: []string{"a.go"}, want: "second"},
		{name: "where the environment names the first", about: agent.About{Files: []string{"a.go"}}, second: []string{"a.go"}, named: "1.sock", want: "second"},
		{name: "named, and none is unsaved", about: agent.About{Files: []string{"a.go"}}, named: "2.sock", want: "second"},
		{name: "a name with a colon", about: agent.About{Files: []string{"x:y.txt"}}, second: []string{"x:y.txt"}, want: "second"},
		{name: "a name that looks like a URI", about: agent.About{Files: []string{"note:a.md"}}, second: []string{"note:a.md"}, want: "second"},
		{name: "such a name in another folder", about: agent.About{Files: []string{"../" + filepath.Base(dir) + "/note:a.md"}}, second: []string{"note:a.md"}, want: "second"},
		{name: "such a name, of a file that is only open", about: agent.About{Files: []string{"note:b.md"}}, second: []string{"note:b.md"}, want: "second"},
		{name: "a document that is no file", about: agent.About{Files: []string{"untitled:a"}}, second: []string{"untitled:a"}, want: "second"},
		{name: "in both", about: agent.About{Files: []string{"a.go"}}, first: []string{"a.go"}, second: []string{"a.go"}, errorSays: "a.go has unsaved text in first (pid 1) and in second (pid 2)"},
		{name: "a patch of two", about: agent.About{Files: []string{"a.go", "b.go"}}, first: []string{"b.go"}, second: []string{"a.go"}, errorSays: "b.go has unsaved text in first (pid 1), and a.go in second (pid 2)"},
		{name: "the edit of an id", about: agent.About{Edit: "e7"}, want: "second"},
		{name: "an edit that is in none", about: agent.About{Edit: "e8"}, want: "first"},
		{name: "the first cannot be edited", about: agent.About{Files: []string{"a.go"}, Edits: true}, readOnly: true, want: "second", rivals: -1},
		{name: "nor can it, and is read", about: agent.About{Files: []string{"a.go"}}, readOnly: true, want: "first"},
		{name: "nor can it, and has unsaved text", about: agent.About{Files: []string{"a.go"}, Edits: true}, first: []string{"a.go"}, readOnly: true, want: "first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			first, second := newHost("first", dir), newHost("second", filepath.Dir(dir))
			first.active, second.active = "2026-03-01T12:09:00Z", "2026-03-01T12:01:00Z"
			first.open = []string{uri("a.go"), uri("b.go"), uri("c.go")}
			for _, f := range tt.first {
				first.unsaved = append(first.unsaved, uri(f))
			}
			for _, f := range tt.second {
				second.open, second.unsaved = append(second.open, uri(f)), append(second.unsaved, uri(f))
			}
			first.readOnly = tt.readOnly
			second.made = []string{"e7"}
			w.open(first, 1)
			w.open(second, 2)
			if tt.named != "" {
				t.Setenv("PATCHLS_SOCKET", w.file(tt.named))
			}
			c, rivals, err := w.finder().Find(w.context(), dir, tt.about)
			switch {
			case tt.errorSays != "":
				if !words.IsKind(err, edits.Rejected) || !strings.Contains(err.Error(), tt.errorSays) {
					t.Errorf("got %v, want %q", err, tt.errorSays)
				}
			case err != nil:
				t.Error(err)
			case c.Live().Name != tt.want || rivals != 1+tt.rivals:
				t.Errorf("got %s with %d others, want %s with %d", c.Live().Name, rivals, tt.want, 1+tt.rivals)
			}
		})
	}
}

// TestAFileThatIsNoTextElsewhere: one editor has a file open as text, and another one as something else. No agent can read or
// write it, whichever editor has unsaved text, was active last or is named. The error names the editor that has no text.
func TestAFileThatIsNoTextElsewhere(t *testing.T) {
	dir := tree(t, "a.go", "b.go")
	symlink(t, "a.go", filepath.Join(dir, "alias.go"))
	uri := func(name string) string { return fileURI(filepath.Join(dir, name)) }
	const says = "Nothing was done: a.go is open in drawer (pid 2) as a drawing, so its text there is not known; ask the user to save and close it first."
	for _, tt := range []struct {
		name, active, typed, drawn string
		files                      []string
		want                       string
	}{
		{"only open", "2026-03-01T12:09:00Z", "", "a.go", []string{"a.go"}, says},
		{"and was active last", "2026-03-01T12:01:00Z", "", "a.go", []string{"a.go"}, says},
		{"with unsaved text", "2026-03-01T12:09:00Z", "a.go", "a.go", []string{"a.go"}, says},
		{"by a link", "2026-03-01T12:09:00Z", "a.go", "a.go", []string{"alias.go"}, says},
		{"the second file of a patch", "2026-03-01T12:09:00Z", "b.go", "a.go", []string{"b.go", "a.go"}, says},
		{"another file", "2026-03-01T12:09:00Z", "b.go", "a.go", []string{"b.go"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			text, drawer := newHost("text", dir), newHost("drawer", dir)
			text.active, drawer.active = tt.active, "2026-03-01T12:05:00Z"
			text.open, drawer.open, drawer.drawn = []string{uri("a.go"), uri("b.go")}, []string{uri(tt.drawn)}, []string{uri(tt.drawn)}
			if tt.typed != "" {
				text.unsaved = []string{uri(tt.typed)}
			}
			w.open(text, 1)
			w.open(drawer, 2)
			abs := make([]string, len(tt.files))
			for i, f := range tt.files {
				abs[i] = filepath.Join(dir, f)
			}
			doors := map[string]func(about agent.About) error{
				"Find":  func(about agent.About) error { _, _, err := w.finder().Find(w.context(), dir, about); return err },
				"ByPID": func(about agent.About) error { _, err := w.finder().ByPID(w.context(), 1, dir, about); return err },
				"Open":  func(agent.About) error { _, err := w.finder().Open(w.context(), false, abs...); return err },
			}
			for door, finds := range doors {
				for _, edits := range []bool{true, false} {
					switch err := finds(agent.About{Files: tt.files, Edits: edits}); {
					case tt.want == "" && err != nil, tt.want != "" && (!words.IsKind(err, "unsupported") || !strings.Contains(err.Error(), tt.want)):
						t.Errorf("%s, edits %v: %v", door, edits, err)
					}
				}
			}
			if may := w.finder().MayWrite(w.context(), abs[0]); may == nil {
				t.Error("it may be written to disk")
			}
		})
	}
}

// TestOpen: an agent's own tool is told of the file that has unsaved text, of one that is open otherwise, and of why no
// program may write.
func TestOpen(t *testing.T) {
	dir := tree(t, "a.go", "b.go", "c.go")
	at := func(name string) string { return filepath.Join(dir, name) }
	w := newWorld(t)
	first, second := newHost("first", dir), newHost("second", dir)
	first.active = "2026-03-01T12:09:00Z"
	first.open, second.open = []string{fileURI(at("a.go")), fileURI(at("b.go"))}, []string{fileURI(at("a.go")), fileURI(at("b.go"))}
	first.unsaved, second.unsaved = []string{fileURI(at("a.go"))}, []string{fileURI(at("b.go"))}
	w.open(first, 1)
	second2, _ := w.open(second, 2)
	finds := func(f *agent.Finder, names ...string) string {
		for i := range names {
			names[i] = at(names[i])
		}
		doc, err := f.Open(w.context(), false, names...)
		var said []string
		if doc != nil {
			said = append(said, doc.Path, "in", doc.Editor.Live().Name)
		}
		if doc != nil && doc.Unsaved {
			said = append(said, "unsaved")
		}
		if errors.Is(err, agent.ErrSilent) {
			said = append(said, "silent")
		} else if err != nil {
			said = append(said, err.Error())
		}
		return strings.Join(said, " ")
	}
	expect := func(want string, names ...string) {
		t.Helper()
		if got := finds(w.finder(), names...); got != want {
			t.Errorf("of %q: %q, want %q", names, got, want)
		}
	}
	expect("a.go in first unsaved", "a.go")
	expect("b.go in second unsaved", "b.go")
	expect("a.go in first unsaved", "c.go", "a.go")
	expect("", "c.go")
	if got := finds(w.finder(), "a.go", "b.go"); !strings.Contains(got, "a.go has unsaved text in first (pid 1), and ") || !strings.Contains(got, "in second (pid 2). Send one call for each") {
		t.Errorf("of two editors: %q", got)
	}
	first.mu.Lock()
	first.unsaved = nil
	first.mu.Unlock()
	expect("a.go in first", "a.go")
	t.Setenv("PATCHLS_SOCKET", second2.Entry().Socket)
	expect("a.go in second", "a.go")
	first.serveWith(func(ctx context.Context, conn io.ReadWriteCloser) error { return conn.Close() })
	expect("a.go in second silent", "a.go")
	expect("b.go in second unsaved silent", "b.go")
	expect("silent", "c.go")
}

// TestOpenPassesOverWhatCannotBeEdited: an editor that has a file open and saved, and cannot be edited, keeps no tool from
// writing it, nor another editor from being edited.
func TestOpenPassesOverWhatCannotBeEdited(t *testing.T) {
	dir := tree(t, "a.go", "b.go")
	w := newWorld(t)
	first, second := newHost("first", dir), newHost("second", dir)
	first.active, first.readOnly = "2026-03-01T12:09:00Z", true
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	first.open, second.open = []string{fileURI(a), fileURI(b)}, []string{fileURI(a)}
	w.open(first, 1)
	w.open(second, 2)
	for _, tt := range []struct {
		file   string
		toEdit bool
		want   string
	}{{a, true, "second"}, {a, false, "first"}, {b, true, ""}, {b, false, "first"}} {
		doc, err := w.finder().Open(w.context(), tt.toEdit, tt.file)
		got := ""
		if doc != nil {
			got = doc.Editor.Live().Name
		}
		if err != nil || got != tt.want {
			t.Errorf("%s, to be edited %t: %q, %v, want %q", tt.file, tt.toEdit, got, err, tt.want)
		}
	}
}

// TestUnsavedTextIsLookedForAtEachCall: a connection that is kept says nothing of what the user types later.
func TestUnsavedTextIsLookedForAtEachCall(t *testing.T) {
	dir := tree(t, "a.go")
	w := newWorld(t)
	hosts := []*host{newHost("first", dir), newHost("second", dir)}
	for i, h := range hosts {
		h.open = []string{fileURI(filepath.Join(dir, "a.go"))}
		w.open(h, 1+i)
	}
	f := w.finder()
	for _, i := range []int{1, 0, 1} {
		for j, h := range hosts {
			h.mu.Lock()
			h.unsaved = nil
			if j == i {
				h.unsaved = h.open
			}
			h.mu.Unlock()
		}
		c, _, err := f.Find(w.context(), dir, agent.About{Files: []string{"a.go"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Live().Name; got != hosts[i].name {
			t.Errorf("got %s, want %s", got, hosts[i].name)
		}
	}
	if c, err := f.ByPID(w.context(), 1, dir, agent.About{Files: []string{"a.go"}}); !words.IsKind(err, edits.Rejected) {
		t.Errorf("got %v %v, want that the editor with the unsaved text is named", c, err)
	}
}

// TestACommandWithoutAFile goes to the editor in which the agent edited.
func TestACommandWithoutAFile(t *testing.T) {
	dir := tree(t, "a.go")
	w := newWorld(t)
	for i, name := range []string{"first", "second", "elsewhere"} {
		h := newHost(name, dir)
		if name == "elsewhere" { // it has no folder of the agent, and had a file open
			h = newHost(name, "/elsewhere")
		}
		h.commands["patchls.write"] = echo
		w.open(h, 1+i)
	}
	f := w.finder()
	edit := func(pid int) {
		t.Helper()
		c, err := f.ByPID(w.context(), pid, dir, agent.About{})
		if err == nil {
			_, err = c.Execute(w.context(), agent.Call{Command: "write", Arguments: json.RawMessage(`{"edit_id":"e1"}`)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	find := func(about agent.About, want string) {
		t.Helper()
		c, _, err := f.Find(w.context(), dir, about)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Live().Name; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	find(agent.About{}, "first")
	edit(2)
	find(agent.About{}, "second")
	find(agent.About{Saves: true}, "second")
	t.Setenv(agent.SocketVariable, w.file("1.sock"))
	find(agent.About{}, "second")
	edit(1)
	find(agent.About{}, "first")
	if _, _, err := f.Find(w.context(), dir, agent.About{Saves: true}); !words.IsKind(err, edits.Rejected) || !strings.Contains(err.Error(), "first (pid 1) and in second (pid 2)") {
		t.Errorf("got %v, want that both are named", err)
	}
	edit(3)
	find(agent.About{}, "elsewhere")
}

// finds checks what the doors are told that look for the editor of a file: agent.ErrSilent or agent.ErrNoEditor.
func (w *world) finds(t *testing.T, dir string, want error) {
	t.Helper()
	if _, _, err := w.finder().Find(w.context(), dir, agent.About{Files: []string{"a.go"}, Edits: true}); !errors.Is(err, want) {
		t.Errorf("it finds %v, want %v", err, want)
	}
	may := w.finder().MayWrite(w.context(), filepath.Join(dir, "a.go"))
	_, all := w.finder().All(w.context())
	if silent := want == agent.ErrSilent; errors.Is(may, agent.ErrSilent) != silent || errors.Is(all, agent.ErrSilent) != silent {
		t.Errorf("it may write: %v; all: %v; want %v", may, all, want)
	}
}

// TestAFileThatIsNotTrusted: an editor whose discovery file cannot be trusted or read counts as one that does not answer, as
// long as its process runs.
func TestAFileThatIsNotTrusted(t *testing.T) {
	unixAlone(t)
	for name, damage := range map[string]func(file string) error{
		"others may read it": func(file string) error { return os.Chmod(file, 0o644) },
		"empty":              func(file string) error { return os.Truncate(file, 0) },
		"cut off":            func(file string) error { return os.Truncate(file, 40) },
		"a link": func(file string) error {
			return errors.Join(os.Rename(file, file+".own"), os.Symlink(file+".own", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, w := tree(t, "a.go"), newWorld(t)
			w.open(newHost("Neovim", dir), 1)
			if err := damage(w.file("1.json")); err != nil {
				t.Fatal(err)
			}
			w.finds(t, dir, agent.ErrSilent)
			other := newHost("Zed", dir)
			other.open = []string{"file://" + dir + "/a.go"}
			_, stop := w.open(other, 2)
			if c, _, err := w.finder().Find(w.context(), dir, agent.About{Files: []string{"a.go"}, Edits: true}); err != nil || c.Live().Name != "Zed" {
				t.Errorf("%v: the editor that has the file open is not found", err)
			}
			stop()
			w.fake.Started = func(int) (time.Time, bool) { return time.Time{}, false } // it was killed
			w.finds(t, dir, agent.ErrNoEditor)
		})
	}
}

// TestAFolderThatIsNotTrusted: an editor may have left its file in a folder that others can enter. It is not trusted, and
// counts as one that does not answer, unless its process has ended.
func TestAFolderThatIsNotTrusted(t *testing.T) {
	unixAlone(t)
	dir := tree(t, "a.go")
	w := newWorld(t)
	asks := func(want error) { t.Helper(); w.finds(t, dir, want) }
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	asks(agent.ErrNoEditor) // a folder without files says nothing
	if err := os.Chmod(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.open(newHost("Neovim", dir), 1)
	if err := os.Chmod(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	asks(agent.ErrSilent)
	w.fake.Started = func(int) (time.Time, bool) { return born, false } // it was killed
	asks(agent.ErrNoEditor)
	if _, err := os.Stat(w.file("1.json")); err != nil {
		t.Errorf("the folder was changed: %v", err)
	}
	w.fake.Started = func(pid int) (time.Time, bool) { return born, pid == 2 }
	if err := os.WriteFile(w.file("2.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asks(agent.ErrSilent)
}
