// Package liveeditor runs an editor that lets agents in, for the tests of what agents start: the embedded editor, its server
// and the socket, in one process, with folders of the test's own.
package liveeditor

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/workspace/paths"
)

// Home gives a test a folder of its own for what tells of live editors.
func Home(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // a socket's path is short, and t.TempDir has the test's name in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("HOME", dir)
	t.Setenv("LOCALAPPDATA", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("TMPDIR", dir)
	t.Setenv("PATCHLS_SOCKET", "")
}

// Discovery is the folder of the editors' discovery files.
func Discovery() string { return DiscoveryIn(os.Getenv("HOME")) }

// DiscoveryIn is the discovery folder under home. On Windows home is also %LOCALAPPDATA%.
func DiscoveryIn(home string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(home, "patchls", "editors")
	}
	return filepath.Join(home, ".local", "state", "patchls", "editors")
}

// An Editor is one that lets agents in.
type Editor struct {
	*headless.Editor
	t    *testing.T
	root string
	end  func()
}

// Start starts an editor in root; Home must have been called. Its pid is the
// test's own, so there is one at a time.
func Start(t *testing.T, root string, opts headless.Options) *Editor {
	t.Helper()
	ours, theirs := net.Pipe()
	done, open := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		_ = lsp.Serve(context.Background(), ours, lsp.Options{Version: "test", Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
			socket, err := agent.Open(ctx, endpoint, agent.Options{Log: slog.New(slog.DiscardHandler), WriteTimeout: 10 * time.Second})
			if open <- err; err == nil {
				socket.Wait()
			}
		}})
	}()
	opts.Roots = []string{root}
	e, err := headless.Start(context.Background(), theirs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-open; err != nil {
		t.Fatal(err)
	}
	l := &Editor{Editor: e, t: t, root: root, end: sync.OnceFunc(func() {
		_ = e.Close()
		<-done
	})}
	t.Cleanup(l.end)
	return l
}

// Of returns an editor that was started in another way.
func Of(t *testing.T, root string, e *headless.Editor) *Editor {
	return &Editor{Editor: e, t: t, root: root}
}

// Stop ends the editor and its server, before the test ends.
func (l *Editor) Stop() { l.end() }

// Typed opens a file of the workspace and types at its top, without saving. The server knows of it when Typed returns.
func (l *Editor) Typed(name, typed string) *headless.Buffer {
	l.t.Helper()
	b, err := l.Open(filepath.Join(l.root, name))
	if err != nil {
		l.t.Fatal(err)
	}
	if err := b.Insert(0, typed); err != nil {
		l.t.Fatal(err)
	}
	if err := l.Call(l.t.Context(), "patchls/synced", nil, nil); err != nil {
		l.t.Fatal(err)
	}
	return b
}

// Type has the user type into a buffer. The server knows of it when Type returns.
func (l *Editor) Type(b *headless.Buffer, at int, typed string) {
	l.t.Helper()
	err := b.Insert(at, typed)
	if err == nil {
		err = l.Call(l.t.Context(), "patchls/synced", nil, nil)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// OpenSaved opens a file, and returns when the server has seen that it has the text on disk.
func (l *Editor) OpenSaved(name string) {
	l.t.Helper()
	b, err := l.Open(filepath.Join(l.root, name))
	if err != nil {
		l.t.Fatal(err)
	}
	for {
		var seen struct{ Merged bool }
		if err := l.Call(l.t.Context(), "patchls/merged", map[string]any{"textDocument": map[string]any{"uri": b.URI()}}, &seen); err != nil {
			l.t.Fatal(err)
		}
		if seen.Merged {
			return
		}
	}
}

// OpensAs has the editor say which files of the workspace it has open as something other than text, as what. The server
// knows of it when OpensAs returns.
func (l *Editor) OpensAs(files map[string]string) {
	l.t.Helper()
	all := []map[string]string{}
	for name, as := range files {
		all = append(all, map[string]string{"uri": paths.FileURI(filepath.Join(l.root, name)), "as": as})
	}
	err := l.Notify(l.t.Context(), "patchls/notText", map[string]any{"files": all})
	if err == nil {
		err = l.Call(l.t.Context(), "patchls/synced", nil, nil)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// Folder returns a new folder with these files.
func Folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// OnDisk returns the text of a file.
func OnDisk(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// ProcessStart is when this process began, as its own discovery file has it.
func ProcessStart(t *testing.T) time.Time {
	t.Helper()
	l := Start(t, t.TempDir(), headless.Options{})
	defer l.Stop()
	find := &agent.Finder{}
	defer find.Close()
	found := find.Editors(t.Context())
	if len(found) != 1 {
		t.Fatalf("got %v, want this process's own editor", found)
	}
	return found[0].Started
}

// Silent writes the discovery file of an editor, Neovim in this process, that does not answer on socket.
func Silent(t *testing.T, socket string, roots ...string) {
	t.Helper()
	content, err := json.Marshal(map[string]any{
		"pid": os.Getpid(), "started": ProcessStart(t), "name": "Neovim", "roots": roots, "socket": socket, "token": strings.Repeat("t", 64),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(Discovery(), strconv.Itoa(os.Getpid())+".json"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Stall has the editor answer no agent, as if its server had stopped, until the function that it returns is called.
func (l *Editor) Stall() (goOn func()) {
	l.t.Helper()
	file := filepath.Join(Discovery(), strconv.Itoa(os.Getpid())+".json")
	var said map[string]any
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &said)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	socket, _ := said["socket"].(string)
	stalled := filepath.Join(Discovery(), "stalled")
	said["socket"] = stalled
	between, err := (&net.ListenConfig{}).Listen(l.t.Context(), "unix", stalled)
	if err != nil {
		l.t.Fatal(err)
	}
	if raw, err = json.Marshal(said); err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	released, running := make(chan struct{}), sync.WaitGroup{}
	running.Go(func() {
		for {
			caller, err := between.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer func() { _ = caller.Close() }()
				<-released
				server, err := (&net.Dialer{}).DialContext(context.Background(), "unix", socket)
				if err != nil {
					return
				}
				defer func() { _ = server.Close() }()
				running.Go(func() { _, _ = io.Copy(server, caller); _ = server.Close() })
				_, _ = io.Copy(caller, server)
			})
		}
	})
	goOn = sync.OnceFunc(func() { close(released) })
	l.t.Cleanup(func() { _ = between.Close(); goOn(); running.Wait() })
	return goOn
}

// Question is what an agent asks its hook about a call of one of its tools, in a folder.
func Question(t *testing.T, root, event, tool string, more map[string]any) string {
	t.Helper()
	all := map[string]any{"hook_event_name": event, "tool_name": tool, "cwd": root}
	maps.Copy(all, more)
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
