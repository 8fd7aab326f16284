//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// talkACP is a client and an agent, with patchls acp between them, as bytes.
type talkACP struct {
	toAgent    io.WriteCloser
	fromAgent  io.Reader
	toClient   io.Writer
	fromClient io.Reader
}

func startACP(t *testing.T) *talkACP {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // a socket's path is short, and t.TempDir has the test's name in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	defer listener.Close()
	self := patchls(t)
	agent := filepath.Join(filepath.Dir(self), "patchls-agent")
	cmd := exec.Command(self, "acp", "--", agent, socket)
	cmd.Stderr = os.Stderr
	k := &talkACP{}
	out, err := cmd.StdoutPipe()
	if err == nil {
		k.toAgent, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	k.fromAgent, k.toClient, k.fromClient = out, conn, conn
	t.Cleanup(func() {
		_ = k.toAgent.Close()
		if _, err := io.Copy(io.Discard, out); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
		_ = conn.Close()
	})
	return k
}

// TestACPServers: what a session is told to start reaches the editor.
func TestACPServers(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "typed\n")
	t.Setenv("PATCHLS_SOCKET", socketOf(t))
	k := startACP(t)
	go func() {
		_, _ = io.WriteString(k.toAgent, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`+"\n")
	}()
	line, err := bufio.NewReader(k.fromClient).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		Params struct {
			MCPServers []struct {
				Command string
				Args    []string
				Env     []struct{ Name, Value string }
			}
		}
	}
	if err := json.Unmarshal(line, &request); err != nil || len(request.Params.MCPServers) != 1 {
		t.Fatalf("the agent gets %s (%v)", line, err)
	}
	s := request.Params.MCPServers[0]
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Env = root, []string{"HOME=" + os.Getenv("HOME")}
	for _, v := range s.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stdin = &out, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"str_replace","arguments":{"path":"menu.txt","old_str":"typed","new_str":"said"}}}
`)
	if err := cmd.Run(); err != nil || b.Text() != "said\n"+menu {
		t.Errorf("%v: the buffer has %q, it said %s", err, b.Text(), &out)
	}
}

// socketOf returns the name of the live editor's socket.
func socketOf(t *testing.T) string {
	t.Helper()
	var said struct{ Socket string }
	raw := liveeditor.OnDisk(t, filepath.Join(liveeditor.Discovery(), fmt.Sprintf("%d.json", os.Getpid())))
	if err := json.Unmarshal([]byte(raw), &said); err != nil {
		t.Fatal(err)
	}
	return said.Socket
}

// TestACPEnds: the agent's exit code, its stderr and the signals are its own.
func TestACPEnds(t *testing.T) {
	liveeditor.Home(t)
	if code, _, errs := commandLine(t, "", "acp"); code != exitUsage || !strings.Contains(errs, "name the agent") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if code, _, errs := commandLine(t, "", "acp", "--", "no-such-agent"); code != exitFailed || !strings.Contains(errs, "no-such-agent") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	self := patchls(t)
	for _, tt := range []struct {
		agent string
		sent  syscall.Signal
		code  int
	}{
		{"echo ready; echo said >&2; exit 3", 0, 3},
		{"trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", syscall.SIGTERM, 7},
		{"echo ready; exec sleep 60", syscall.SIGTERM, 128 + int(syscall.SIGTERM)},
		{"echo ready; kill -PIPE $$; exit 1", 0, 128 + int(syscall.SIGPIPE)},
		{"echo ready; exec cat", -1, 0}, // the client leaves
	} {
		cmd := exec.Command(self, "acp", "--", "sh", "-c", tt.agent)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		if said, err := lines.ReadString('\n'); said != "ready\n" {
			t.Errorf("%s: it says %q (%v)", tt.agent, said, err)
		}
		if tt.sent > 0 {
			if err := cmd.Process.Signal(tt.sent); err != nil {
				t.Fatal(err)
			}
		}
		if tt.sent < 0 {
			_ = in.Close()
		}
		rest, _ := io.ReadAll(lines)
		_ = cmd.Wait()
		_ = in.Close()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || len(rest) > 0 || (errs.String() == "said\n") != (tt.code == 3) {
			t.Errorf("%s: exit code %d, it says %s%s", tt.agent, code, rest, &errs)
		}
	}
}
