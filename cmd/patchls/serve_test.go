package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// process is a patchls that runs as an editor would start it.
type process struct {
	io.Reader
	io.WriteCloser
}

// startProcess starts a patchls process for an editor.
func startProcess(t *testing.T, cmd *exec.Cmd) process {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return process{out, in}
}

// TestServeAsAProcess starts the server as an editor does, and sees it end with
// the code that LSP asks for.
func TestServeAsAProcess(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd, home, e := startListening(t, root, "--trace", trace)
	token := agentToken(t, home, cmd.Process.Pid)
	_, err := e.Execute(context.Background(), "patchls.str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"})
	if err != nil {
		t.Error(err)
	}
	if b, ok := e.Buffer("a.txt"); !ok || b.Text() != "two\n" {
		t.Errorf("buffer %v", b)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if info, err := os.Stat(trace); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the trace is a file of %v (%v)", info, err)
	}
	raw, err := os.ReadFile(trace)
	for _, said := range []string{`"from":"client","message":{"jsonrpc":"2.0","method":"initialize"`, `"method":"workspace/applyEdit"`, `"method":"patchls/listening"`, `"method":"exit"`} {
		if !strings.Contains(string(raw), said) {
			t.Errorf("no %s in the trace (%v):\n%s", said, err, raw)
		}
	}
	if token == "" || strings.Contains(string(raw), token) {
		t.Errorf("the token %q is in the trace", token)
	}
}

// startListening starts a server as a process, in a home of its own, and an editor of it, and returns
// once agents are let in.
func startListening(t *testing.T, root string, flags ...string) (cmd *exec.Cmd, home string, e *headless.Editor) {
	t.Helper()
	home = t.TempDir()
	cmd = exec.Command(patchls(t), append([]string{"serve"}, flags...)...)
	cmd.Stderr, cmd.Env = t.Output(), append(os.Environ(), "HOME="+home, "LOCALAPPDATA="+home, "XDG_RUNTIME_DIR="+home)
	ends := startProcess(t, cmd)
	listens := make(chan struct{}, 1)
	opts := headless.Options{
		Roots: []string{root},
		Trace: func(_ string, message []byte) {
			if strings.Contains(string(message), `"patchls/listening"`) {
				select {
				case listens <- struct{}{}:
				default: // agents come and go
				}
			}
		},
	}
	declare(&opts.Capabilities, `{"experimental":{"patchls":{"listening":true,"save":true}}}`)
	e, err := headless.Start(context.Background(), ends, opts)
	if err != nil {
		t.Fatal(err)
	}
	<-listens
	return cmd, home, e
}

// TestASignalEndsTheServerInGoodOrder: no discovery file or socket of the server is left.
func TestASignalEndsTheServerInGoodOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that a process can answer")
	}
	for _, sent := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			if signal.Ignored(sent) {
				t.Skip("the signal is ignored here, as under nohup, and a server that is started so ignores it too")
			}
			cmd, home, _ := startListening(t, t.TempDir())
			if agentToken(t, home, cmd.Process.Pid) == "" {
				t.Fatal("no agent would find it")
			}
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil { // for which a plugin would start it again
				t.Errorf("it ended with %v", err)
			}
			for _, pattern := range []string{".local/state/patchls/editors/*", "patchls/*"} {
				if left, _ := filepath.Glob(filepath.Join(home, pattern)); len(left) > 0 {
					t.Errorf("it left %q", left)
				}
			}
		})
	}
}

// TestASignalEndsMCPInGoodOrder: by one, clients end the servers that they have started.
func TestASignalEndsMCPInGoodOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that a process can answer")
	}
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	var said bytes.Buffer
	c, cmd := startMCPProcess(t, &said, "--editor", "headless", "--root", root)
	if a := c.call("view", map[string]any{"path": "a.txt"}); a.IsError {
		t.Errorf("%+v", a)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if said.Len() > 0 {
		t.Errorf("it said %s", &said)
	}
}

// declare makes an editor declare more capabilities, given as JSON.
func declare[C any](capabilities *func(*C), more string) {
	*capabilities = func(c *C) {
		if err := json.Unmarshal([]byte(more), c); err != nil {
			panic(err)
		}
	}
}

// agentToken returns the token that agents need, from the server's discovery file.
func agentToken(t *testing.T, home string, pid int) string {
	t.Helper()
	var said struct{ Token string }
	raw, err := os.ReadFile(filepath.Join(liveeditor.DiscoveryIn(home), strconv.Itoa(pid)+".json"))
	if err == nil {
		err = json.Unmarshal(raw, &said)
	}
	if err != nil {
		t.Error(err)
	}
	return said.Token
}

// patchls returns the path under which the test's own binary is patchls, which
// testscript.Main has put into this process's PATH.
func patchls(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("patchls")
	if err != nil {
		t.Fatal(err)
	}
	return name
}
