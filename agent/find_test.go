package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
)

// tree makes a folder with files and returns it with no symbolic link in its path.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(dir, f)
		mkdir(t, filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(f), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestEditorsLatestFirst(t *testing.T) {
	w := newWorld(t)
	for i, active := range []string{"2026-03-01T12:00:00.5Z", "", "2026-03-01T13:00:00.25+01:00", "2026-03-01T14:00:00Z"} {
		h := newHost("E" + itoa(i))
		h.active = active
		w.open(h, 1+i)
	}
	var got []string
	for _, e := range w.finder().Editors(w.context()) {
		got = append(got, e.Name)
	}
	if want := "E3 E0 E2 E1"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	printed, err := json.Marshal(w.finder().Editors(w.context()))
	if err != nil || leaked(string(printed), w.readFile(1)["token"].(string)) != "" {
		t.Errorf("got %s %v, want no token in it", printed, err)
	}
}

// TestFind: the file that is open, the deepest root, the latest active, in that order.
func TestFind(t *testing.T) {
	dir := tree(t, "p/src/a.go", "p/b.go", "other/c.go")
	symlink(t, "p", filepath.Join(dir, "link"))
	symlink(t, "other", filepath.Join(dir, "way"))
	symlink(t, "a.go", filepath.Join(dir, "p", "src", "alias.go"))
	at := func(name string) string { return filepath.Join(dir, name) }
	w := newWorld(t)
	var hosts []*host
	for i, e := range []struct {
		name, active, root string
		open               []string
	}{
		{"top", "2026-03-01T12:09:00Z", "/", nil},
		{"outer", "2026-03-01T12:08:00Z", at("p"), []string{"file://" + at("p/b.go")}},
		{"inner", "2026-03-01T12:01:00Z", at("p/src"), []string{"untitled:Untitled-1"}},
		{"inner-later", "2026-03-01T12:02:00Z", at("p/src"), nil},
		{"elsewhere", "2026-03-01T12:00:00Z", at("way"), []string{"file://" + at("link/src/a%2Ego"), "file:///gone/d.go", "file://" + at("link/src/new.go"), "file://"}},
		{"beside", "2026-03-01T12:07:00Z", at("p/sr"), nil}, // its name begins alike
		{"rootless", "2026-03-01T12:10:00Z", "", nil},
	} {
		h := newHost(e.name)
		h.active, h.open = e.active, e.open
		if e.root != "" {
			h.roots = []string{e.root}
		}
		w.open(h, 1+i)
		hosts = append(hosts, h)
	}
	for _, tt := range []struct{ name, dir, path, want string }{
		{"the deepest root, the latest", at("p/src"), "", "inner-later"},
		{"below a root", at("p/docs"), "", "outer"},
		{"by another name of the folder", at("link/src"), "", "inner-later"},
		{"only the top", "/", "", "top"},
		{"the file wins", at("p/src"), "../b.go", "outer"},
		{"the file by another name", at("p/src"), "alias.go", "elsewhere"},
		{"the file by its absolute path", "/", at("p/src/a.go"), "elsewhere"},
		{"the file by its URI", "/", "file://" + at("p/b.go"), "outer"},
		{"a file that is not there", at("p"), "/gone/d.go", "elsewhere"},
		{"nor there, by another name", at("p/src"), "new.go", "elsewhere"},
		{"a document without a file", at("other"), "untitled:Untitled-1", "inner"},
		{"a file that nobody has open", at("other"), "c.go", "elsewhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := w.finder()
			defer f.Close()
			c, _, err := f.Find(w.context(), tt.dir, agent.About{Files: []string{tt.path}})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Live().Name; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if _, err := c.Execute(w.context(), agent.Call{Command: "list"}); err != nil {
				t.Errorf("the connection is no good: %v", err)
			}
		})
	}
	for _, h := range hosts {
		if clients, bye := h.seen(); bye != len(clients) {
			t.Errorf("%s: %d of %d connections were closed", h.name, bye, len(clients))
		}
	}
}

func TestFindNone(t *testing.T) {
	w := newWorld(t)
	if _, _, err := w.finder().Find(w.context(), "/", agent.About{}); !errors.Is(err, agent.ErrNoEditor) {
		t.Errorf("got %v", err)
	}
	if _, err := w.finder().ByPID(w.context(), 1, "", agent.About{}); !errors.Is(err, agent.ErrNoEditor) {
		t.Errorf("got %v", err)
	}
	h := newHost("Neovim", "/there")
	w.open(h, 1)
	f := w.finder()
	if _, _, err := f.Find(w.context(), "/here", agent.About{Files: []string{"a.go"}}); !errors.Is(err, agent.ErrNoEditor) {
		t.Errorf("got %v", err)
	}
	f.Close()
	if _, bye := h.seen(); bye != 1 {
		t.Errorf("got %d shutdowns, want that the connection was closed", bye)
	}
}

// TestFindBySocket: who is named is taken, or it is an error.
func TestFindBySocket(t *testing.T) {
	w := newWorld(t)
	w.open(newHost("Neovim", "/"), 1)
	_, stop := w.open(newHost("Zed"), 2)
	t.Setenv("PATCHLS_SOCKET", w.file("2.sock"))
	c, _, err := w.finder().Find(w.context(), "/", agent.About{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Live().Name != "Zed" {
		t.Errorf("got %s, want the one that was named", c.Live().Name)
	}
	if conns, err := w.finder().All(w.context()); len(conns) != 2 || err != nil { // the other may have unsaved text
		t.Errorf("got %d editors and %v, want both", len(conns), err)
	}
	stop()
	if _, _, err := w.finder().Find(w.context(), "/", agent.About{}); err == nil || errors.Is(err, agent.ErrNoEditor) || !strings.Contains(err.Error(), "PATCHLS_SOCKET") {
		t.Errorf("got %v, want an error that names the variable", err)
	}
}

func TestByPID(t *testing.T) {
	w := newWorld(t)
	w.open(newHost("Neovim"), 1)
	w.open(newHost("Zed"), 2)
	c, err := w.finder().ByPID(w.context(), 2, "", agent.About{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Live().Name != "Zed" {
		t.Errorf("got %s", c.Live().Name)
	}
}

func TestMayWrite(t *testing.T) {
	dir := tree(t, "a.go", "b.go")
	t.Chdir(dir)
	w := newWorld(t)
	h := newHost("Neovim")
	h.open = []string{fileURI(filepath.Join(dir, "a.go"))}
	w.open(h, 1)
	w.open(newHost("Zed", dir), 2)
	// The rule holds for all editors, whichever one is named.
	t.Setenv("PATCHLS_SOCKET", w.file("2.sock"))
	for path, want := range map[string]bool{"a.go": true, filepath.Join(dir, "a.go"): true, "b.go": false, "../a.go": false} {
		err := w.finder().MayWrite(w.context(), path)
		if (err != nil) != want || err != nil && !strings.HasPrefix(err.Error(), "Neovim (pid 1) has it open") {
			t.Errorf("%s: got %v, want that it is open: %v", path, err, want)
		}
	}
}

// TestMayWriteForAServer: its editor writes no file of which another one has unsaved text, or no text, or may have some.
func TestMayWriteForAServer(t *testing.T) {
	dir := tree(t, "a.go", "b.go", "c.go", "d.go")
	at := func(name string) string { return filepath.Join(dir, name) }
	w := newWorld(t)
	own, other := newHost("own", dir), newHost("other", dir)
	own.open = []string{fileURI(at("a.go")), fileURI(at("b.go"))}
	own.unsaved = own.open
	other.open = []string{fileURI(at("a.go")), fileURI(at("b.go")), fileURI(at("d.go"))}
	other.unsaved, other.drawn = []string{fileURI(at("b.go"))}, []string{fileURI(at("d.go"))}
	w.open(own, 1)
	_, stop := w.open(other, 2)
	f := w.finder()
	f.Of = 1
	says := func(file, want string) {
		t.Helper()
		err := f.MayWrite(w.context(), file)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
	says(at("a.go"), "")
	says(at("b.go"), "other (pid 2) has unsaved text of it; ask the user to save or close it there")
	says(at("c.go"), "")
	says(at("d.go"), "d.go is open in other (pid 2) as a drawing")
	stop()
	says(at("b.go"), "")
	silent := newHost("silent", dir)
	var asked atomic.Int32
	silent.serve = func(_ context.Context, conn io.ReadWriteCloser) error { asked.Add(1); return conn.Close() }
	w.open(silent, 3)
	says(at("a.go"), "silent (pid 3) does not answer")
	says(filepath.Join(t.TempDir(), "a.go"), "") // in none of its folders
	if says(at("c.go"), "silent (pid 3) does not answer"); asked.Load() != 1 {
		t.Errorf("a command has waited %d times for an editor that does not answer", asked.Load())
	}
	if clients, _ := own.seen(); len(clients) > 0 {
		t.Errorf("the server was asked itself: %q", clients)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	says(at("a.go"), "another editor (pid 3) does not answer: it is not trusted")
	if err := os.Remove(w.file("3.json")); err != nil {
		t.Fatal(err)
	}
	says(at("a.go"), "") // its own file says nothing
}

// TestAServerThatWasStartedAgain: it is found by the name of its window, and not by the
// socket of the server before it.
func TestAServerThatWasStartedAgain(t *testing.T) {
	w := newWorld(t)
	f := w.finder()
	find := func(name string) int {
		t.Helper()
		t.Setenv("PATCHLS_SOCKET", name)
		c, _, err := f.Find(w.context(), "/", agent.About{})
		if err != nil {
			return 0
		}
		return c.Live().PID
	}
	w.open(newHost("Neovim"), 9, agent.Options{Window: "nvim-2"})
	_, stop := w.open(newHost("Neovim"), 1, agent.Options{Window: "nvim-1"})
	first := w.file("1.sock")
	if got := find("nvim-1"); got != 1 {
		t.Fatalf("got %d", got)
	}
	stop()
	if got := find("nvim-1"); got != 0 {
		t.Fatalf("got %d of a server that has ended", got)
	}
	w.open(newHost("Neovim"), 2, agent.Options{Window: "nvim-1"})
	if got := find("nvim-1"); got != 2 {
		t.Errorf("got %d", got)
	}
	if got := find(first); got != 0 {
		t.Errorf("got %d by a socket that is gone", got)
	}
}

// TestOneThatHangs: a server that hangs may have any file of its folder open with unsaved text. Another editor is
// chosen only for a file that it has open, or that is not below that folder.
func TestOneThatHangs(t *testing.T) {
	for name, h := range map[string]*host{"at once": newHost("hangs"), "later": newHost("hangs")} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, "p/a.go", "q/c.go")
			w := newWorld(t)
			h.roots = []string{filepath.Join(dir, "p")}
			if name == "at once" {
				h.serve = func(ctx context.Context, conn io.ReadWriteCloser) error { <-ctx.Done(); return nil }
			} else {
				h.commands["patchls.list"] = func(ctx context.Context, _ *peer, _ json.RawMessage) (any, error) {
					<-ctx.Done()
					return nil, nil
				}
			}
			w.open(h, 1)
			other := newHost("answers", filepath.VolumeName(dir)+"/")
			other.open = []string{fileURI(filepath.Join(dir, "p", "a.go"))}
			w.open(other, 2)
			for _, tt := range []struct {
				file   string
				silent bool
				edits  bool
			}{{"p/a.go", false, false}, {"p/a.go", false, true}, {"p/new/b.go", true, false}, {"q/c.go", false, false}, {"q/c.go", true, true}} {
				f := w.finder()
				f.Timeout = time.Second
				c, _, err := f.Find(w.context(), dir, agent.About{Files: []string{tt.file}, Edits: tt.edits})
				switch {
				case tt.silent:
					if !errors.Is(err, agent.ErrSilent) || !strings.Contains(err.Error(), "hangs (pid 1)") {
						t.Errorf("%s: got %v, want that the editor does not answer", tt.file, err)
					}
				case err != nil:
					t.Errorf("%s: %v", tt.file, err)
				case c.Live().Name != "answers":
					t.Errorf("%s: got %s", tt.file, c.Live().Name)
				}
			}
			f := w.finder()
			f.Timeout = time.Second
			if conns, err := f.All(w.context()); name == "at once" && (len(conns) != 1 || !errors.Is(err, agent.ErrSilent)) {
				t.Errorf("got %d editors and %v", len(conns), err)
			}
			for _, file := range []string{"p/b.go", "q/c.go"} { // any file may be open in it
				if err := f.MayWrite(w.context(), filepath.Join(dir, file)); !errors.Is(err, agent.ErrSilent) {
					t.Errorf("got %v, want that the file may be open", err)
				}
			}
		})
	}
}

// TestFindByHome: an editor is found with HOME alone. The libraries of MCP clients pass on HOME, LOGNAME,
// PATH, SHELL, TERM and USER, and nothing else. If an agent missed the editor, unsaved text could be lost.
func TestFindByHome(t *testing.T) {
	unixAlone(t)
	w := newWorld(t)
	dir := tree(t, "a.go")
	h := newHost("Neovim", dir)
	h.open = []string{"file://" + dir + "/a.go"}
	w.open(h, 1)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", "")
	if found := w.finder().Editors(w.context()); len(found) != 1 {
		t.Errorf("got %v, want Neovim", found)
	}
	if err := w.finder().MayWrite(w.context(), dir+"/a.go"); err == nil {
		t.Error("the file counts as one that nobody has open")
	}
}

// TestSharedHome: two machines may share a home. The discovery file of a server on the other machine stays, as
// its socket cannot be seen here; a file that is more than a week old counts as left over and is removed.
func TestSharedHome(t *testing.T) {
	unixAlone(t)
	w := newWorld(t)
	w.open(newHost("Neovim", "/"), 1)
	w.change(1, map[string]any{"socket": "/run/user/0/there/1.sock"})
	w.fake.Started = func(int) (time.Time, bool) { return time.Time{}, false }
	for _, tt := range []struct {
		age   time.Duration
		stays bool
	}{{0, true}, {6 * 24 * time.Hour, true}, {8 * 24 * time.Hour, false}} {
		then := time.Now().Add(-tt.age)
		if err := os.Chtimes(w.file("1.json"), then, then); err != nil {
			t.Fatal(err)
		}
		if found := w.finder().Editors(w.context()); len(found) != 0 {
			t.Errorf("got %v", found)
		}
		if _, err := os.Lstat(w.file("1.json")); (err == nil) != tt.stays {
			t.Errorf("after %s: got %v, want that it stays %v", tt.age, err, tt.stays)
		}
	}
}
