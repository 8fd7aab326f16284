package agent_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestOpenWritesWhatAgentsFind(t *testing.T) {
	unixAlone(t)
	w := newWorld(t)
	h := newHost("Neovim", "/a", "/b")
	s, stop := w.open(h, 4711)
	for name, want := range map[string]fs.FileMode{
		".":         fs.ModeDir | 0o700,
		"4711.json": 0o600,
		"4711.sock": fs.ModeSocket | 0o600,
	} {
		info, err := os.Lstat(w.file(name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), want)
		}
	}
	d := w.readFile(4711)
	for key, want := range map[string]any{
		"pid": 4711.0, "started": "2026-03-01T12:00:00Z", "name": "Neovim", "version": "1.2", "socket": w.file("4711.sock"),
	} {
		if d[key] != want {
			t.Errorf("%s: got %v, want %v", key, d[key], want)
		}
	}
	if roots, ok := d["roots"].([]any); !ok || len(roots) != 2 || roots[1] != "/b" {
		t.Errorf("roots: got %v", d["roots"])
	}
	if token := d["token"].(string); len(token) != 64 {
		t.Errorf("the token has %d characters, want 256 bits in hexadecimal", len(token))
	}
	if len(d) != 7 {
		t.Errorf("got the members %v, want the 7 of the contract", d)
	}
	if e := s.Entry(); e.Name != "Neovim" || e.PID != 4711 {
		t.Errorf("got %+v", e)
	}
	stop()
	w.isEmpty()
}

// isEmpty checks that nothing is left behind.
func (w *world) isEmpty() {
	w.t.Helper()
	for _, dir := range []string{w.dir, filepath.Join(w.sub("run"), "patchls")} {
		names, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(names) > 0 {
			w.t.Errorf("left behind: %v %v", names, err)
		}
	}
}

func TestTwoServersHaveTwoTokens(t *testing.T) {
	w := newWorld(t)
	w.open(newHost("A"), 1)
	w.open(newHost("B"), 2)
	if w.readFile(1)["token"] == w.readFile(2)["token"] {
		t.Error("one token for both")
	}
}

func TestRootsFollow(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	s, _ := w.open(h, 1)
	if roots, ok := w.readFile(1)["roots"].([]any); !ok || len(roots) != 0 {
		t.Errorf("roots: got %v, want an empty list", w.readFile(1)["roots"])
	}
	before := w.readFile(1)["token"]
	h.setRoots("/one") // which may be what the socket begins with
	until(t, "the new root", func() bool { return len(s.Entry().Roots) == 1 })
	h.setRoots("/one", "/two")
	until(t, "both roots", func() bool { return len(s.Entry().Roots) == 2 })
	if d := w.readFile(1); len(d["roots"].([]any)) != 2 || d["token"] != before {
		t.Errorf("got %v, want the roots and the token of before", d)
	}
	names, _ := os.ReadDir(w.dir)
	if len(names) != 1 {
		t.Errorf("got the files %v", names)
	}
}

// until polls for a condition that no channel signals, and yields to other goroutines meanwhile.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !done() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s did not come", what)
		}
	}
}

func TestLongPathsGoToTheTemporaryFolder(t *testing.T) {
	unixAlone(t)
	w := newWorld(t)
	t.Setenv("XDG_RUNTIME_DIR", mkdir(t, w.sub(strings.Repeat("x", 80)), 0o700))
	s, stop := w.open(newHost("Neovim"), 7)
	want := filepath.Join(w.short(), "7.sock")
	if got := w.readFile(7)["socket"]; got != want || s.Entry().Socket != want {
		t.Fatalf("socket: got %v, want %s", got, want)
	}
	w.dial(s).Close()
	// The discovery file is also found by the socket's name.
	t.Setenv("PATCHLS_SOCKET", want)
	c, _, err := w.finder().Find(w.context(), "/", agent.About{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	stop()
	w.isEmpty()
	if _, err := os.Lstat(want); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestNoRuntimeFolder(t *testing.T) {
	unixAlone(t)
	for _, run := range []string{"", "relative", "/there/is/none"} {
		t.Run(run, func(t *testing.T) {
			w := newWorld(t)
			t.Setenv("XDG_RUNTIME_DIR", run)
			w.open(newHost("Neovim"), 7)
			if got := w.finder().Editors(w.context()); len(got) != 1 {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestLeftovers: a server that starts removes what dead ones left, and nothing else.
func TestLeftovers(t *testing.T) {
	unixAlone(t)
	w := newWorld(t)
	_, stop := w.open(newHost("Neovim"), 1)
	files := map[string][]byte{}
	content, err := os.ReadFile(w.file("1.json"))
	if err != nil {
		t.Fatal(err)
	}
	stop()
	for _, pid := range []string{"1", "2", "3"} {
		files[pid+".json"] = []byte(strings.ReplaceAll(strings.Replace(string(content), `"pid":1`, `"pid":`+pid, 1), "1.sock", pid+".sock"))
	}
	// Process 1 is dead, 2 is now the id of another process, 3 runs.
	w.fake.Started = func(pid int) (time.Time, bool) {
		return map[int]time.Time{2: born.Add(time.Hour), 3: born.Add(2 * time.Second), 4: born, 9: born}[pid], pid >= 2 && pid <= 4 || pid == 9
	}
	files["9.json.tmp"] = nil // of this very process id
	files["note.json"] = []byte("mine")
	files["5.txt"] = nil
	for name, content := range files {
		if err := os.WriteFile(w.file(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"1.sock", "2.sock", "3.sock", "6.sock", "9.sock"} {
		deadSocket(t, w.file(name))
	}
	w.open(newHost("Zed"), 9)
	var got []string
	for _, dir := range []string{w.dir, filepath.Dir(w.file("9.sock"))} {
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			got = append(got, n.Name())
		}
	}
	if want := "3.json 5.txt 9.json note.json 3.sock 9.sock"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// deadSocket leaves a socket as a process that is killed does.
func deadSocket(t *testing.T, path string) {
	t.Helper()
	unixAlone(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

// TestLiveSocketStays: in another container the process may live under an id that is
// dead here.
func TestLiveSocketStays(t *testing.T) {
	unixAlone(t)
	w := newWorld(t)
	w.open(newHost("Neovim"), 1)
	w.fake.Started = func(pid int) (time.Time, bool) { return born, pid != 1 }
	w.open(newHost("Zed"), 2)
	if got := w.finder().Editors(w.context()); len(got) != 1 || got[0].Name != "Zed" {
		t.Errorf("got %v, want Zed alone", got)
	}
	if _, err := os.Lstat(w.file("1.json")); err != nil {
		t.Error(err)
	}
	if _, _, err := w.tryOpen(newHost("Helix"), 1); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v, want that the socket is taken", err)
	}
}

func TestStartOf(t *testing.T) {
	start, alive := agent.StartOf(os.Getpid())
	if !alive {
		t.Fatal("this process runs")
	}
	if again, _ := agent.StartOf(os.Getpid()); !start.Equal(again) {
		t.Errorf("a process starts once: %v and %v", start, again)
	}
	if age := time.Since(start); !start.IsZero() && (age < -2*time.Second || age > time.Hour) {
		t.Errorf("got %v, which is %v ago", start, age)
	}
	if _, alive := agent.StartOf(1 << 30); alive {
		t.Error("no process has that id")
	}
}

// TestRealSystem opens and finds without anything replaced.
func TestRealSystem(t *testing.T) {
	newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	s, err := agent.Open(ctx, newHost("Neovim"), limits)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Wait()
	defer cancel()
	f := &agent.Finder{Client: me}
	defer f.Close()
	c, err := f.ByPID(ctx, os.Getpid(), "", agent.About{})
	if err != nil {
		t.Fatal(err)
	}
	another := &agent.Finder{Client: me}
	defer another.Close()
	if _, errs := another.Connect(ctx, []agent.Entry{c.Live().Entry}); errs[0] != nil {
		t.Error(errs[0])
	}
}
