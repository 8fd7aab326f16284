//go:build linux

package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/oneline"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// standIn is an editor that returns errs in turn, and records the calls.
type standIn struct {
	errs  []error
	calls []agent.Call
}

func (e *standIn) Execute(_ context.Context, call agent.Call) (json.RawMessage, error) {
	if e.calls = append(e.calls, call); len(e.errs) == 0 {
		return json.RawMessage("{}"), nil
	}
	err := e.errs[0]
	e.errs = e.errs[1:]
	return json.RawMessage("{}"), err
}

// commands are the names of what was asked.
func (e *standIn) commands() string {
	var names []string
	for _, c := range e.calls {
		names = append(names, c.Command)
	}
	return strings.Join(names, " ")
}

// inFolder returns a shadow that covers no file.
func inFolder(t *testing.T) *shadow {
	t.Helper()
	folder := t.TempDir()
	e, err := newEvents(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	return &shadow{file: filepath.Join(folder, "1"), uri: "file:///menu.txt", events: e}
}

// TestATextIsOfWhatWasRead: a program that writes a whole text has made it from the text it read, so what the user has
// typed since stays.
func TestATextIsOfWhatWasRead(t *testing.T) {
	const was, is = "soup\nbread\ntea\n", "typed\nsoup\nbread\ntea\n"
	for _, tt := range []struct {
		name, now string
		before    string // its rev
		read      bool   // before it is opened to be written
		rev       string // with which it is sent; "-" if nothing is
	}{
		{"of what was read before the user typed", "soup\nbread\ngreen tea\n", "r1", false, "r1"},
		{"an append", is + "cake\n", "r1", false, "r2"},
		{"an append to what was read", was + "and much more\n", "r1", false, "r1"},
		{"written as it was read", was, "r1", false, "-"},
		{"of what is there", "typed\nsoup\nbread\ngreen tea\n", "r1", false, "r2"},
		{"of what is there, and was read", "soup\nbread\ngreen tea\n", "r1", true, "r2"},
		{"of the agent's own text, which the server knows", "soup\nbread\ngreen tea\n", "", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := inFolder(t)
			if err := s.create(view.Document{Text: is, Rev: "r2"}, version{was, tt.before}, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := s.take(os.O_RDWR, unix.F_WRLCK)
			if err == nil {
				_, err = contents(f) // which does not count as a read
				release(f)
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.read {
				if _, err := os.ReadFile(s.file); err != nil {
					t.Fatal(err)
				}
			}
			// Reads through a descriptor that also writes do not count, nor do reads after the write.
			w, err := os.OpenFile(s.file, os.O_RDWR, 0)
			if err == nil {
				_, err = io.ReadAll(w)
				err = errors.Join(err, w.Truncate(0))
				_, writes := w.WriteAt([]byte(tt.now), 0)
				err = errors.Join(err, writes, w.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.ReadFile(s.file); err != nil {
				t.Fatal(err)
			}
			e := &standIn{}
			s.editor = e
			if err := s.collect(t.Context(), tt.now); err != nil {
				t.Fatal(err)
			}
			rev := "-"
			for _, c := range e.calls {
				if w, is := c.Arguments.(commands.Write); is && w.Content == tt.now && w.Path == s.uri {
					rev = w.Rev
				}
			}
			if rev != tt.rev {
				t.Errorf("it is sent with rev %q, want %q", rev, tt.rev)
			}
		})
	}
}

func answered(kind edits.Kind, message string) error {
	data, err := json.Marshal(transaction.ErrorData{Kind: kind})
	if err != nil {
		panic(err)
	}
	return &jsonrpc2.Error{Message: message, Data: jsonrpc2.RawMessage(data)}
}

// A text is sent once. What was not made of it is told to the user in one line, and kept as a patch.
func TestWhatBecomesOfAText(t *testing.T) {
	for _, tt := range []struct {
		name, now string
		err       error
		want      string // the error; "" for none
		diff      string // a part of the patch
	}{
		{"it is made", "one\n2\nthree\n", nil, "", ""},
		{"the user has made the same change", "one\n2\nthree\n", answered(edits.NoChange, ""), "", ""},
		{"the lines have changed", "one\n2\nthree\n", answered(edits.Stale, "send rev x"), "2 changes of the agent not made: the same lines have changed since", "-1\n+one\n"},
		{"refused", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", answered("protected", "the file is\nprotected"), "2 changes of the agent not made: the file is protected", "-9\n+nine\n"},
		{"not known", "1\n", fmt.Errorf("gone: %w", agent.ErrLost), "1 change of the agent not made: gone: " + agent.ErrLost.Error(), "-2\n-3\n"},
		{"not sent", "1\n", fmt.Errorf("%w: x", agent.ErrNotSent), errLater.Error(), ""},
		{"the user types on and on", "1\n", answered(edits.TimedOut, "the text changed each time"), errTyping.Error(), ""},
		{"no text", "\xff", nil, "1 change of the agent not made: it is no text in UTF-8", "+\xff"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := inFolder(t)
			if err := s.create(view.Document{Text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n", Rev: "r1"}, version{text: strings.Repeat("another text\n", 9)}, 0o600); err != nil {
				t.Fatal(err)
			}
			s.path, s.editor = "/menu.txt", &standIn{errs: []error{tt.err}}
			err := s.collect(t.Context(), tt.now)
			if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if r, is := errors.AsType[*refusedError](err); is && !strings.Contains(r.diff, tt.diff) {
				t.Errorf("it keeps %s", r.diff)
			}
			if again := errors.Is(err, errLater) || errors.Is(err, errTyping); (s.has != tt.now) != again {
				t.Errorf("it is sent again: %v", s.has != tt.now)
			}
		})
	}
}

// A change that was not made is kept as a patch in a file that only the user can read.
func TestRefusalIsKept(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	name, err := keep((&shadow{path: "/menu.txt"}).refused(version{text: "one\n"}, "two\n", errors.New("x")), "/menu.txt")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(name)
	if want := "--- /menu.txt\n+++ /menu.txt\n@@ -1 +1 @@\n-one\n+two\n"; err != nil || string(raw) != want {
		t.Errorf("%q (%v), want %q", raw, err, want)
	}
	for path, mode := range map[string]os.FileMode{name: 0o600, filepath.Dir(name): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v (%v), want %v", path, info.Mode(), err, mode)
		}
	}
}

// TestTellsInOneLine: whatever a file is called, its name does not control the terminal to which a refused change is reported.
func TestTellsInOneLine(t *testing.T) {
	dir := t.TempDir()
	for _, name := range oneline.FileNames() {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Skip("the file system does not allow this name:", err)
		}
		for _, home := range []string{dir, file} { // in a file, nothing can be kept
			t.Setenv("HOME", home)
			var said strings.Builder
			(&keeper{out: &said}).tell(&shadow{path: file}, &refusedError{error: errors.New("x")})
			if line := strings.TrimSuffix(said.String(), "\n"); !edits.IsFit(line) {
				t.Errorf("%q", line)
			}
		}
	}
}

// A link that the agent lays in the keeper's folder leads to nothing.
func TestLinksInTheFolder(t *testing.T) {
	s := inFolder(t)
	const kept = "kept\n"
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, s.file); err != nil {
		t.Fatal(err)
	}
	if f, err := s.take(os.O_RDWR, unix.F_WRLCK); err == nil {
		release(f)
		t.Error("it is taken")
	}
	if err := s.create(view.Document{Text: "soup\n"}, version{}, 0o600); err == nil {
		t.Error("it is made")
	}
	if raw, err := os.ReadFile(other); err != nil || string(raw) != kept {
		t.Errorf("%q (%v)", raw, err)
	}
}

// The name of a file may be as long as the system lets one be.
func TestRefusalWithALongName(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	name, err := keep(&refusedError{}, "/a"+strings.Repeat("é", 127))
	if err != nil || !strings.HasSuffix(name, "-a"+strings.Repeat("é", 49)+".patch") {
		t.Errorf("%s (%v)", name, err)
	}
}

// A text that a process has not finished writing is not taken over: it might delete all of the user's text.
func TestHalfATextIsNotMade(t *testing.T) {
	for _, tt := range []struct {
		name, want string // what it asks for
		flags      int
	}{
		{"a writer", "", os.O_WRONLY | os.O_TRUNC},
		{"a reader", "write", os.O_RDONLY},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			s := inFolder(t)
			if err := s.create(view.Document{Text: "soup\n", Rev: "r1"}, version{"broth\n", "r0"}, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.file, []byte("soup\ntea\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(s.file, tt.flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			e := &standIn{}
			s.path, s.editor = "/menu.txt", e
			ctx, end := context.WithCancel(t.Context())
			end() // the time is up
			var said strings.Builder
			k := &keeper{ctx: ctx, out: &said}
			k.collectLast(s)
			k.collectLast(s) // does nothing more
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if got := e.commands(); got != tt.want {
				t.Errorf("it asks for %q", got)
			}
			if lines := strings.Count(said.String(), "\n"); (lines == 0) != (tt.want != "") || lines > 1 {
				t.Errorf("it says %q", &said)
			}
		})
	}
	// Once the text is finished, it is taken over.
	s := inFolder(t)
	if err := s.create(view.Document{Text: "soup\n", Rev: "r1"}, version{"broth\n", "r0"}, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	e := &standIn{}
	s.editor = e
	collected, tried := make(chan struct{}), make(chan struct{})
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err == nil {
		_, err = unix.InotifyAddWatch(fd, s.file, unix.IN_OPEN|unix.IN_CLOSE_WRITE)
	}
	if err != nil {
		t.Fatal(err)
	}
	opened := os.NewFile(uintptr(fd), "inotify")
	defer opened.Close()
	go func() { // waits until the file was opened twice to be taken
		for got, buf := 0, make([]byte, 1<<10); got < 4*unix.SizeofInotifyEvent; {
			n, err := opened.Read(buf)
			if err != nil {
				return
			}
			got += n
		}
		close(tried)
	}()
	go func() {
		defer close(collected)
		(&keeper{ctx: t.Context(), out: io.Discard}).collectLast(s)
	}()
	select {
	case <-tried:
	case <-collected:
		t.Fatal("it does not wait for the end of the text")
	}
	if _, err := f.WriteString("soup\ntea\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	<-collected
	if got := e.commands(); got != "write" || s.has != "soup\ntea\n" {
		t.Errorf("it asks for %q, of %q", got, s.has)
	}
}

// If a new text cannot be written, the shadow keeps the whole old one. The test runs in a
// process of its own: a limit on the size of files is also one for the log that go test
// has its process write.
func TestNoMemoryIsLeft(t *testing.T) {
	if os.Getenv("PATCHLS_TEST_LIMITED") == "" {
		self := exec.Command(os.Args[0], "-test.run=^TestNoMemoryIsLeft$")
		self.Env = append(os.Environ(), "PATCHLS_TEST_LIMITED=1")
		if out, err := self.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	s := inFolder(t)
	if err := s.create(view.Document{Text: "soup\ntea\n", Rev: "r1"}, version{}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(s.file); err != nil {
		t.Fatal(err)
	}
	f, err := s.take(os.O_RDWR, unix.F_WRLCK)
	if err != nil {
		t.Fatal(err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	err = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4, Max: limit.Max})
	if err == nil {
		err = s.put(f, view.Document{Text: "typed\nsoup\ntea\n", Rev: "r2"})
	}
	if back := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); back != nil {
		t.Fatal(back)
	}
	signal.Reset(syscall.SIGXFSZ)
	release(f)
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatal(err)
	}
	e := &standIn{}
	s.editor = e
	if got, err := os.ReadFile(s.file); err != nil || string(got) != "soup\ntea\n" {
		t.Errorf("it has %q (%v)", got, err)
	}
	// The agent's change of the old text is an edit of that text.
	if err := s.sync(t.Context(), false, true); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(s.file, []byte("soup\ngreen tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.sync(t.Context(), false, false); err != nil {
		t.Error(err)
	}
	if got := e.commands(); got != "write document" {
		t.Errorf("it asks for %q", got)
	}
}

// sleeper is an editor that answers when the lease is gone, and the agent has written.
type sleeper struct {
	file, text string
}

func (e sleeper) Execute(context.Context, agent.Call) (json.RawMessage, error) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	for _, fd := range open {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == e.file {
			n, err := strconv.Atoi(fd.Name())
			if err == nil {
				_, err = unix.FcntlInt(uintptr(n), unix.F_SETLEASE, unix.F_UNLCK)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return json.RawMessage(`{"text": "typed\n", "rev": "r2"}`), os.WriteFile(e.file, []byte(e.text), 0o600)
}

// What the agent has written after the system took the lease away is not written over.
func TestALeaseIsLost(t *testing.T) {
	s := inFolder(t)
	if err := s.create(view.Document{Text: "soup\n", Rev: "r1"}, version{}, 0o600); err != nil {
		t.Fatal(err)
	}
	s.editor = sleeper{s.file, "tea\n"}
	if err := s.sync(t.Context(), true, false); !errors.Is(err, errHeld) {
		t.Errorf("error %v", err)
	}
	if raw, err := os.ReadFile(s.file); err != nil || string(raw) != "tea\n" || s.has != "soup\n" {
		t.Errorf("%q (%v) in the file", raw, err)
	}
}

// A shadow is not forgotten that the agent has written again since it was synced.
func TestNothingWrittenIsForgotten(t *testing.T) {
	const made = "soup\n"
	for _, tt := range []struct {
		name, now string
		due, open bool
		kept      bool
	}{
		{"nothing was written", made, false, false, false},
		{"it was written", "tea\n", false, false, true},
		{"it is due", made, true, false, true},
		{"it is open", made, false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := inFolder(t)
			if err := s.create(view.Document{Text: made, Rev: "r1"}, version{}, 0o600); err != nil {
				t.Fatal(err)
			}
			k := &keeper{files: s.events, all: map[string]*shadow{s.file: s}}
			if err := os.WriteFile(s.file, []byte(tt.now), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(s.file)
			if err != nil {
				t.Fatal(err)
			}
			if !tt.open {
				_ = f.Close()
			}
			if s.retired = true; tt.due {
				s.due = time.Now()
			}
			s.busy = true
			k.synced(s, true, nil)
			_ = f.Close() // once more does no harm
			if kept := k.all[s.file] == s && !s.due.IsZero(); kept != tt.kept {
				t.Errorf("it is kept: %v", kept)
			}
		})
	}
}

// A text is sent again until the user no longer types, while the program runs and after it has ended, also if its file
// is not covered any more. If the user never stops, they are told of it once.
func TestAUserWhoTypesOnAndOn(t *testing.T) {
	typing := answered(edits.TimedOut, "the text changed each time")
	for _, tt := range []struct {
		name           string
		errs           []error
		retired, ended bool
		calls          string
		told, again    bool
	}{
		{name: "the program runs", errs: []error{typing}, calls: "write", again: true},
		{name: "not covered any more", errs: []error{typing}, retired: true, calls: "write", again: true},
		{name: "the program has ended", errs: []error{typing, typing, nil}, ended: true, calls: "write write write"},
		{name: "ended, and the lines have changed", errs: []error{typing, answered(edits.Stale, "")}, ended: true, calls: "write write", told: true},
		{name: "ended, and the time is up", errs: []error{typing, context.Canceled}, ended: true, calls: "write write", told: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			s := inFolder(t)
			if err := s.create(view.Document{Text: "soup\n", Rev: "r1"}, version{}, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.file, []byte("soup\ntea\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			e, told := &standIn{errs: tt.errs}, &strings.Builder{}
			s.editor = e
			k := &keeper{files: s.events, all: map[string]*shadow{s.file: s}, ctx: t.Context(), out: told}
			if s.retired = tt.retired; tt.ended {
				k.collectLast(s)
			} else {
				k.synced(s, tt.retired, s.sync(t.Context(), false, tt.retired))
			}
			if got := e.commands(); got != tt.calls || told.Len() > 0 != tt.told || tt.again != (s.has == "soup\n" && time.Until(s.due) > 0) {
				t.Errorf("it asked for %s, due %v, and told %q", got, s.due, told)
			}
		})
	}
}

// An edit that was made is not made again, even if the connection is lost before the editor returns its new text.
func TestAnEditIsMadeOnce(t *testing.T) {
	s := inFolder(t)
	if err := s.create(view.Document{Text: "soup\n", Rev: "r1"}, version{}, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file, []byte("soup\ntea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &standIn{errs: []error{nil, agent.ErrLost, nil}}
	s.editor = e
	if err := s.sync(t.Context(), false, false); !errors.Is(err, agent.ErrLost) {
		t.Errorf("error %v", err)
	}
	if err := s.sync(t.Context(), true, false); err != nil {
		t.Errorf("error %v", err)
	}
	if got := e.commands(); got != "write document document" {
		t.Errorf("it asked for %s", got)
	}
}

// When the system has dropped events, any file may have been written, even one that no event has named.
func TestLostEvents(t *testing.T) {
	s := inFolder(t)
	if err := s.create(view.Document{Text: "soup\n", Rev: "r1"}, version{}, 0o600); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.recordOne(s.folder, unix.IN_Q_OVERFLOW)
	s.mu.Unlock()
	if !s.writes()(s.file) || s.writes()(s.file) {
		t.Errorf("%s may not be written, or twice", s.file)
	}
}
