package acp

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/patchls/patchls/agent"
)

// lastTime is how long to wait for the last output of an agent after it has ended.
const lastTime = time.Second

// Run runs an agent for the client at the other end of in and out, and returns the agent's exit code. It forwards the
// signals to the agent. The agent's edits have the name that the agent gives itself, or else the name in find.Client.
func Run(program []string, in io.Reader, out io.Writer, find *agent.Finder, signals ...os.Signal) (int, error) {
	self, err := command()
	if err != nil {
		return 0, err
	}
	defer find.Close()
	p := newProxy(find, self)
	program = append(slices.Clip(program), p.self.flags(program)...)
	said, saying := io.Pipe()
	cmd := exec.CommandContext(context.Background(), program[0], program[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = saying, os.Stderr, lastTime
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	p.client.Writer, p.agent.Writer = out, stdin
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // this program ignores SIGPIPE, which the agent would inherit; of a handled signal it gets the default
	handed := make(chan os.Signal, 16)
	signal.Notify(handed, signals...)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range handed {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	go func() {
		_ = p.fromClient(in) // the client has left, or the agent no longer reads
		_ = stdin.Close()
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = said.CloseWithError(p.fromAgent(said)) // from now on the agent's writes fail, as if the client had left
	}()
	err = cmd.Wait()
	_ = saying.Close() // it never fails
	select {
	case <-done:
	case <-time.After(lastTime): // the client does not read
	}
	if cmd.ProcessState == nil {
		return 0, err
	}
	return code(cmd.ProcessState), nil
}

// code returns the exit code of a process: as in shells, 128 plus the number of the signal if one ended it.
func code(s *os.ProcessState) int {
	if status, is := s.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// command returns the path by which this program was started. Links are not resolved: they survive an upgrade.
func command() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}
