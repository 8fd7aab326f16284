package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/patchls/patchls/internal/testkit/leaks"
)

func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){
		"patchls":         main,
		"patchls-watched": func() { os.Exit(runWatched(os.Args[1:])) },
		"patchls-stalls":  func() { os.Exit(runStalls(os.Args[1:])) },
		"patchls-agent":   func() { os.Exit(runAgent(os.Args[1])) },
		"patchls-siege":   func() { os.Exit(runSiege(os.Args[1:])) },
	})
}

// runAgent is an agent whose other half, which is in the test, listens at a socket.
func runAgent(socket string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.Close()
	}()
	_, _ = io.Copy(os.Stdout, conn)
	return 0
}

// leakless fails a run that leaves a goroutine behind.
type leakless struct{ *testing.M }

func (m leakless) Run() int {
	state, err := os.MkdirTemp("", "patchls-state-")
	if err == nil {
		defer func() { _ = os.RemoveAll(state) }()
		err = errors.Join(os.Setenv("HOME", state), os.Setenv("LOCALAPPDATA", state)) // editors and saves are noted there
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.M.Run()
	if err := goleak.Find(leaks.IgnoreLibraries); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs the command line from outside.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, ".tmp", "home"))
			env.Setenv("LOCALAPPDATA", env.Getenv("HOME"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": wantCode, "editor": startEditor},
	})
}

// wantCode is the script command "code N patchls ...": it runs the command and
// checks its exit code.
func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args...]")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
