package acp

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/patchls/patchls/agent"
)

// lastTime is how long what an agent has said last is waited for, when it has ended.
const lastTime = time.Second

// Run runs an agent for the client at the other end of in and out, and returns its exit code. The signals that end a program
// are handed on to it. The agent's edits have the name that it gives itself, or else that of find.
func Run(program []string, in io.Reader, out io.Writer, find *agent.Finder, signals ...os.Signal) (int, error) {
	self, err := command()
	if err != nil {
		return 0, err
	}
	defer find.Close()
	p := newProxy(find, self)
	said, saying := io.Pipe()
	cmd := exec.CommandContext(context.Background(), program[0], program[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = saying, os.Stderr, lastTime
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	p.client.Writer, p.agent.Writer = out, stdin
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which this program ignores: a signal that is handled is the default again in what is started
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
		_ = p.fromClient(in) // the client has left, or the agent does not read any more
		_ = stdin.Close()
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = said.CloseWithError(p.fromAgent(said)) // as the agent would see it of a client that has left
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

// code returns the exit code of a process, as shells have it of one that a signal has ended.
func code(s *os.ProcessState) int {
	if status, is := s.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// command is the path by which this program was started: a link stays good when what it leads to is replaced by a newer one.
func command() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}
