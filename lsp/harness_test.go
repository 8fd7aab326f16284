package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/goleak"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session is a server with the headless editor at the other end of a pipe.
type session struct {
	*headless.Editor
	t    *testing.T
	root string
	done chan error // Serve's answer

	// timeUp, once closed, is the end of every command's time. Shorter delays, in
	// which the server waits for an editor that may be late, are over as soon as it
	// has answered: the editors of these tests are never late with a text.
	timeUp   chan time.Time
	timeUpMu sync.Mutex // for tests in which there is another time after it
	// late, if set, makes those delays last for ever; each is told to settles.
	late    bool
	settles chan struct{}
	// faultAt, if set, makes the delay of that number a fault of the server.
	faultAt int
	delays  atomic.Int32
	check   *wireCheck
}

// settled is above the delays of editors and below the time of a command.
const settled = 2 * time.Second

func (s *session) after(d time.Duration) <-chan time.Time {
	if d > settled {
		s.timeUpMu.Lock()
		defer s.timeUpMu.Unlock()
		return s.timeUp
	}
	if s.delays.Add(1) == int32(s.faultAt) {
		s.check.giveUp() // the test that waited for an answer is gone
		panic("a fault for a test")
	}
	now := make(chan time.Time)
	if s.late {
		s.settles <- struct{}{}
		return now
	}
	answered := s.check.answered()
	if answered == nil {
		close(now)
		return now
	}
	go func() {
		defer close(now)
		select {
		case <-answered:
		case <-time.After(d): // an editor that says nothing
		case <-s.Done():
		}
	}()
	return now
}

// endTime ends the time of the commands that are under way.
func (s *session) endTime() {
	s.timeUpMu.Lock()
	defer s.timeUpMu.Unlock()
	s.check.giveUp()
	close(s.timeUp)
	s.timeUp = make(chan time.Time)
}

// start starts a session in a workspace that holds files.
func start(t *testing.T, files map[string]string, opts headless.Options) *session {
	t.Helper()
	return startSession(t, files, opts, func(s *session) func(time.Duration) <-chan time.Time { return s.after })
}

// startBeside starts a session whose server can ask other editors.
func startBeside(t *testing.T, others transaction.Others, files map[string]string, opts headless.Options) *session {
	t.Helper()
	return startSession(t, files, opts, func(s *session) func(time.Duration) <-chan time.Time { return s.after }, func(o *lsp.Options) {
		o.Others = func() transaction.Others { return others }
	})
}

// startSession starts a session whose server has the clock that it is given, and more options.
func startSession(t *testing.T, files map[string]string, opts headless.Options, clock func(*session) func(time.Duration) <-chan time.Time, more ...func(*lsp.Options)) *session {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		writeFile(t, filepath.Join(root, name), content)
	}
	opts.Roots = append([]string{root}, opts.Roots...)
	ours, theirs, check := watchedPipe(t)
	s := &session{t: t, root: root, done: make(chan error, 1), timeUp: make(chan time.Time), settles: make(chan struct{}, 10), check: check}
	server := lsp.Options{Version: "test", Log: slog.New(slog.NewTextHandler(endOfLog(t), nil)), After: clock(s)}
	for _, set := range more {
		set(&server)
	}
	go func() { s.done <- lsp.Serve(context.Background(), ours, server) }()
	var err error
	s.Editor, err = headless.Start(context.Background(), theirs, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		<-s.done
	})
	return s
}

// endOfLog returns a writer for the log of a server, whose last lines are printed if the test fails.
func endOfLog(t *testing.T) io.Writer {
	l := &lastLines{}
	t.Cleanup(func() {
		if l.mu.Lock(); t.Failed() {
			t.Logf("the log has %d lines, which end with:\n%s", l.n, bytes.Join(l.lines, nil))
		}
		l.mu.Unlock()
	})
	return l
}

// lastLines keeps the last lines that are written to it, each by one call.
type lastLines struct {
	mu    sync.Mutex
	n     int
	lines [][]byte
}

func (l *lastLines) Write(line []byte) (int, error) {
	const most = 50
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	l.lines = append(l.lines, bytes.Clone(line))
	l.lines = l.lines[max(0, len(l.lines)-most):]
	return len(line), nil
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (s *session) path(name string) string { return filepath.Join(s.root, name) }

// open opens a file of the workspace.
func (s *session) open(name string) *headless.Buffer {
	s.t.Helper()
	b, err := s.Open(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// disk returns what the file holds.
func (s *session) disk(name string) string {
	s.t.Helper()
	raw, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

type args = map[string]any

// edit runs an editing command that must succeed.
func (s *session) edit(command string, a args) transaction.Result {
	s.t.Helper()
	return run[transaction.Result](s, command, a)
}

// run runs a command that must succeed.
func run[R any](s *session, command string, a args) R {
	s.t.Helper()
	raw, err := s.Execute(context.Background(), "patchls."+command, a)
	if err != nil {
		s.t.Fatalf("%s: %v", command, err)
	}
	var r R
	if err := json.Unmarshal(raw, &r); err != nil {
		s.t.Fatalf("%s: %v in %s", command, err, raw)
	}
	return r
}

// failure is an error as a client sees it.
type failure struct {
	Code    jsonrpc2.Code
	Message string
	transaction.ErrorData
}

// fail runs a command that must fail.
func (s *session) fail(command string, a any) failure {
	s.t.Helper()
	raw, err := s.Execute(context.Background(), "patchls."+command, a)
	return failureOf(s.t, raw, err)
}

func failureOf(t *testing.T, raw json.RawMessage, err error) failure {
	t.Helper()
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) {
		t.Fatalf("want an error of the server, got %v, result %s", err, raw)
	}
	f := failure{Code: wire.Code, Message: wire.Message}
	if len(wire.Data) > 0 {
		if err := json.Unmarshal(wire.Data, &f.ErrorData); err != nil {
			t.Fatalf("error data: %v in %s", err, wire.Data)
		}
	}
	return f
}
