package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/leaks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, leaks.IgnoreLibraries) }

// patience is how long a test waits for an event before it fails.
const patience = time.Minute

// limits are the options of a socket as the server's limits have them.
var limits = agent.Options{Log: slog.New(slog.DiscardHandler), WriteTimeout: patience}

var me = agent.ClientInfo{Name: "tester", Version: "0.1"}

// born is when the processes of a world's editors began.
var born = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a machine with folders of its own, on which any process id is that of a
// running process. At the end it looks for tokens in all that was logged.
type world struct {
	t    *testing.T
	base string // of all its folders
	dir  string // of the discovery files
	fake agent.Fake
	logs *logs
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := os.MkdirTemp("", "w") //nolint:usetesting // a socket's path is short, and t.TempDir has the test's name in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	w := &world{t: t, base: base, dir: filepath.Join(base, "home", ".local", "state", "patchls", "editors"), logs: &logs{t: t}}
	if runtime.GOOS == "windows" {
		w.dir = filepath.Join(base, "home", "patchls", "editors")
	}
	for _, dir := range []string{filepath.Dir(w.dir), w.sub("run"), w.sub("tmp")} {
		mkdir(t, dir, 0o700)
	}
	t.Setenv("HOME", w.sub("home"))
	t.Setenv("LOCALAPPDATA", w.sub("home"))
	t.Setenv("TMP", w.sub("tmp"))
	t.Setenv("XDG_RUNTIME_DIR", w.sub("run"))
	t.Setenv("TMPDIR", w.sub("tmp"))
	t.Setenv("PATCHLS_SOCKET", "")
	w.fake.Started = func(int) (time.Time, bool) { return born, true }
	t.Cleanup(func() { w.logs.check() })
	return w
}

// unixAlone skips a Unix-only test on Windows; transport_windows_test.go has the tests for Windows.
func unixAlone(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is about modes, links and sockets in folders")
	}
}

// open opens the socket of h as the process pid. stop ends it and waits.
func (w *world) open(h *host, pid int, opts ...agent.Options) (s *agent.Socket, stop func()) {
	w.t.Helper()
	s, stop, err := w.tryOpen(h, pid, opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return s, stop
}

func (w *world) tryOpen(h *host, pid int, opts ...agent.Options) (s *agent.Socket, stop func(), err error) {
	o := limits
	if len(opts) > 0 {
		o.Window, o.WriteTimeout = opts[0].Window, cmp.Or(opts[0].WriteTimeout, limits.WriteTimeout)
	}
	o.Log = slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	fake := w.fake
	fake.PID = pid
	ctx, cancel := context.WithCancel(context.Background())
	s, err = agent.Open(ctx, h, o.On(fake))
	if err != nil {
		cancel()
		w.logs.add(err)
		return nil, nil, err
	}
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); s.Wait() }) }
	w.t.Cleanup(stop)
	w.logs.secret(w.readFile(pid)["token"].(string))
	return s, stop, nil
}

// finder finds what is in the world.
func (w *world) finder() *agent.Finder {
	log := slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f := (&agent.Finder{Client: me, Log: log, Timeout: patience}).On(w.fake)
	w.t.Cleanup(f.Close)
	return f
}

// dial connects to the server whose socket is s.
func (w *world) dial(s *agent.Socket) *agent.Conn {
	w.t.Helper()
	c, err := agent.DialOn(w.context(), w.fake, s.Entry(), me)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

// context returns a context that ends after patience, so that no test hangs.
func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

// fileURI is that of a file's absolute path.
func fileURI(path string) string {
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// sub is a folder of the world.
func (w *world) sub(name string) string { return filepath.Join(w.base, name) }

// file is the path of something beside the discovery files, or of a socket.
func (w *world) file(name string) string {
	if pid, ok := strings.CutSuffix(name, ".sock"); ok && runtime.GOOS == "windows" {
		n, _ := strconv.Atoi(pid) // a number of the test's
		path, _ := w.readFile(n)["socket"].(string)
		return path
	} else if ok {
		return filepath.Join(w.sub("run"), "patchls", name)
	}
	return filepath.Join(w.dir, name)
}

// short is the folder of sockets under the temporary one.
func (w *world) short() string { return filepath.Join(w.sub("tmp"), "patchls-"+itoa(os.Geteuid())) }

func (w *world) readFile(pid int) map[string]any {
	w.t.Helper()
	var d map[string]any
	content, err := os.ReadFile(w.file(itoa(pid) + ".json"))
	if err == nil {
		err = json.Unmarshal(content, &d)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// change rewrites members of the discovery file of pid in place.
func (w *world) change(pid int, members map[string]any) {
	w.t.Helper()
	d := w.readFile(pid)
	maps.Copy(d, members)
	content, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(w.file(itoa(pid)+".json"), content, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// logs collects all log lines and error messages, and knows the secrets.
type logs struct {
	t  *testing.T
	mu sync.Mutex

	text    strings.Builder
	secrets []string
	waiting []chan struct{}
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	for _, c := range l.waiting {
		close(c)
	}
	l.waiting = nil
	return len(p), nil
}

func (l *logs) add(err error) {
	if err != nil {
		l.Write([]byte(err.Error() + "\n"))
	}
}

func (l *logs) secret(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets = append(l.secrets, s)
}

// wait waits until something was logged that contains part, n times.
func (l *logs) wait(part string, n int) {
	l.t.Helper()
	late := time.After(patience)
	for {
		l.mu.Lock()
		if strings.Count(l.text.String(), part) >= n {
			l.mu.Unlock()
			return
		}
		more := make(chan struct{})
		l.waiting = append(l.waiting, more)
		l.mu.Unlock()
		select {
		case <-more:
		case <-late:
			l.t.Fatalf("%q was not logged %d times:\n%s", part, n, l.text.String())
		}
	}
}

func (l *logs) contains(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), part)
}

func (l *logs) check() {
	for _, s := range l.secrets {
		if leak := leaked(l.text.String(), s); leak != "" {
			l.t.Errorf("a token is in the log: %s\n%s", leak, l.text.String())
		}
	}
}

// leaked returns a piece of secret that text contains, "" if none. Even a part is too much.
func leaked(text, secret string) string {
	for i := 0; i+8 <= len(secret); i++ {
		if piece := secret[i : i+8]; strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

// TestLeaked shows that a token in a log is seen.
func TestLeaked(t *testing.T) {
	if leaked("level=INFO msg=x token=0123456789ab", "ffff0123456789abcdef") == "" {
		t.Error("a part of the token is in the text")
	}
	if leak := leaked("level=INFO", "ffff0123456789abcdef"); leak != "" {
		t.Error(leak)
	}
}
